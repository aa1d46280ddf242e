import { isDeepStrictEqual } from "node:util";
import { ApiError, conflict, invalid, notFound } from "./api_error.ts";
import { objectIn, verbOf } from "./api_request.ts";
import { bindPod } from "./binding.ts";
import { evict } from "./eviction.ts";
import { toStored, toView } from "./event_view.ts";
import { isOver, isRecord, type KubeObject, kubeTime, objectKey, type Pod } from "./objects.ts";
import { ObjectStore } from "./object_store.ts";
import { applyPatchOf } from "./patches.ts";
import { preparePod, updatePod } from "./pod_rules.ts";
import {
  apiVersionOf,
  discoveryDocument,
  disruptionBudgets,
  resolvePath,
  type Resource,
  RESOURCES,
  type Target,
} from "./resources.ts";
import { selectorOf } from "./selectors.ts";
import { type WatchRequest, watchRequest } from "./watch_stream.ts";

/** One request that was answered. */
export interface AuditEntry {
  /** `list`, `watch`, `get`, `create`, `patch`, `delete`, `bind` for a Binding, or `evict`. */
  verb: string;
  method: string;
  /** Path without the query. */
  path: string;
  /** Plural of the resource, with the subresource: `pods/status`; empty outside resources. */
  resource: string;
  code: number;
}

/** What an API is made with. */
export interface ApiOptions {
  /** Served besides pods, nodes, namespaces and events; see `customResource`. */
  resources?: Resource[];
  /** How long a pod with a node takes to end once it is deleted, in milliseconds; absent: no time. */
  gracePeriodMs?: () => number;
  /** The uid of a new object; absent: any. */
  uidOf?: (metadata: { namespace?: string; name?: string }) => string;
}

/** A request, its body parsed. */
export interface ApiRequest {
  method: string;
  /** Path without the query. */
  path: string;
  query?: URLSearchParams;
  contentType?: string;
  body?: unknown;
}

/** The answer to a request; one to a watch has no body, but says what is watched. */
export interface ApiAnswer {
  code: number;
  body?: unknown;
  watch?: WatchRequest;
}

const noQuery = new URLSearchParams();
const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" };

/** kube-apiserver without its wire: objects, and what requests do to them. It refuses what it does not know. */
export class Api {
  readonly store = new ObjectStore();
  /** Every answered request, oldest first. */
  readonly audit: AuditEntry[] = [];
  readonly #resources: Resource[];
  readonly #options: ApiOptions;

  constructor(options: ApiOptions = {}) {
    this.#options = options;
    this.#resources = [...RESOURCES, ...options.resources ?? []];
    for (const name of ["default", "kube-system"]) this.addNamespace(name);
  }

  /** Adds a namespace. */
  addNamespace(name: string): void {
    const metadata = this.#newMetadata({ name });
    const status = { phase: "Active" };
    this.store.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata, status });
  }

  /** Carries a request out; a refusal is an answer too. */
  answer(request: ApiRequest): ApiAnswer {
    const { method, path } = request;
    const entry = { verb: method.toLowerCase(), method, path, resource: "", code: 0 };
    let answer: ApiAnswer;
    try {
      answer = this.#handle(request, entry);
    } catch (error) {
      const { code, status } = error instanceof ApiError ? error : new ApiError(500, String(error));
      answer = { code, body: status };
    }
    entry.code = answer.code;
    this.audit.push(entry);
    return answer;
  }

  #handle(request: ApiRequest, entry: AuditEntry): ApiAnswer {
    const { method, path, query = noQuery } = request;
    if (method === "GET") {
      const document = discoveryDocument(path, this.#resources);
      if (document !== undefined) return { code: 200, body: document };
    }
    const target = resolvePath(path, this.#resources);
    const { resource, name, subresource } = target;
    entry.resource = subresource === undefined
      ? resource.plural
      : `${resource.plural}/${subresource}`;
    entry.verb = verbOf(method, target, query);
    switch (entry.verb) {
      case "list":
        return { code: 200, body: this.#list(target, query) };
      case "watch":
        return { code: 200, watch: this.#watch(target, query) };
      case "get":
        return { code: 200, body: toView(this.#require(target), resource) };
      case "create":
        return { code: 201, body: this.#create(target, request.body) };
      case "bind":
        this.store.put("pods", bindPod(this.#require(target) as Pod, request.body));
        return { code: 201, body: { ...success, code: 201 } };
      case "evict":
        this.#evict(target, request.body);
        return { code: 201, body: { ...success, code: 201 } };
      case "patch":
        return { code: 200, body: this.#patch(target, request) };
      case "delete":
        return { code: 200, body: this.#delete(target, request.body) };
    }
    throw new ApiError(
      405,
      `The sandbox does not serve ${method} of ${entry.resource}${name ? ` "${name}"` : ""}`,
    );
  }

  #list(target: Target, query: URLSearchParams): unknown {
    if (query.get("continue")) {
      throw new ApiError(400, "The sandbox returns whole lists: continue is not known");
    }
    const { resource } = target;
    const selects = inNamespace(target, selectorOf(query, resource.plural));
    return {
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(this.store.version) },
      items: this.store.list(resource.storage).filter(selects)
        .map((object) => toView(object, resource)),
    };
  }

  #watch(target: Target, query: URLSearchParams): WatchRequest {
    const { resource } = target;
    return watchRequest({
      store: this.store,
      storage: resource.storage,
      query,
      selects: inNamespace(target, selectorOf(query, resource.plural)),
      view: (object) => toView(object, resource),
      type: { apiVersion: apiVersionOf(resource), kind: resource.kind },
    });
  }

  #create(target: Target, given: unknown): KubeObject {
    const { resource, namespace } = target;
    const body = objectIn(given, resource);
    if (resource.namespaced && this.store.get("namespaces", namespace ?? "") === undefined) {
      throw notFound("namespaces", namespace ?? "");
    }
    const { metadata } = body;
    if (metadata.namespace !== undefined && metadata.namespace !== namespace) {
      throw new ApiError(
        400,
        `the namespace of the provided object does not match the namespace sent on the request: "${metadata.namespace}" and "${namespace}"`,
      );
    }
    let object: KubeObject = {
      ...toStored(body, resource),
      metadata: this.#newMetadata({ ...metadata, ...(namespace !== undefined && { namespace }) }),
    };
    if (this.store.get(resource.storage, objectKey(object)) !== undefined) {
      throw new ApiError(409, `${resource.plural} "${object.metadata.name}" already exists`, {
        reason: "AlreadyExists",
        details: { name: object.metadata.name, kind: resource.plural },
      });
    }
    if (resource.kind === "Pod") object = preparePod(object as Pod);
    return toView(this.store.put(resource.storage, object), resource);
  }

  #evict(target: Target, body: unknown): void {
    const budgets = this.store.list(disruptionBudgets.storage);
    const { pod, budget } = evict(this.#require(target) as Pod, body, budgets);
    if (budget) this.store.put(disruptionBudgets.storage, budget);
    this.#remove("pods", this.store.put("pods", pod));
  }

  #patch(target: Target, { contentType = "", body: patch }: ApiRequest): KubeObject {
    const { resource, name = "" } = target;
    const before = this.#require(target);
    const document = toView(before, resource);
    const patched = applyPatchOf(contentType, { document, patch }) as KubeObject;
    const { uid, resourceVersion, ...rest } = patched.metadata;
    if (uid !== before.metadata.uid) {
      throw conflict(
        resource.plural,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`,
      );
    }
    if (resourceVersion !== before.metadata.resourceVersion) {
      throw conflict(
        resource.plural,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    }
    if (rest.name !== before.metadata.name || rest.namespace !== before.metadata.namespace) {
      throw invalid(resource.kind, name, "metadata.name: field is immutable");
    }
    const after = toStored(patched, resource);
    const { subresource } = target;
    const updated = this.#update(resource, { before, after, ...(subresource && { subresource }) });
    return toView(updated, resource);
  }

  #update(
    resource: Resource,
    change: { before: KubeObject; after: KubeObject; subresource?: string },
  ): KubeObject {
    const { before } = change;
    let { after } = change;
    if (resource.kind === "Pod") {
      after = updatePod(before as Pod, { ...change, after: after as Pod });
    } else if (change.subresource === "status") {
      after = { ...before, status: after.status };
    } else if (resource.subresources.includes("status")) {
      after = { ...after, status: before.status };
    }
    // A write that changes nothing has no version and no event, as on the real server.
    if (isAlike(after, before)) return before;
    const wasFinalized = Boolean(before.metadata.finalizers?.length);
    const { deletionTimestamp, finalizers } = after.metadata;
    if (deletionTimestamp !== undefined && wasFinalized && !finalizers?.length) {
      this.store.remove(resource.storage, after);
      return after;
    }
    return this.store.put(resource.storage, after);
  }

  #delete(target: Target, options: unknown): unknown {
    const { resource, name = "" } = target;
    const object = this.#require(target);
    const preconditions = isRecord(options) && isRecord(options.preconditions)
      ? options.preconditions
      : {};
    for (const key of ["uid", "resourceVersion"] as const) {
      const wanted = preconditions[key];
      if (wanted !== undefined && wanted !== object.metadata[key]) {
        throw conflict(
          resource.plural,
          name,
          `Precondition failed: ${key} in precondition: ${wanted}, ${key} in object meta: ${
            object.metadata[key]
          }`,
        );
      }
    }
    const left = this.#remove(resource.storage, object);
    if (left || resource.kind === "Pod") return left ?? object;
    return { ...success, details: { name, kind: resource.plural, uid: object.metadata.uid } };
  }

  /** What is left of an object until its finalizers are gone, or a pod's grace period is over; undefined: nothing. */
  #remove(storage: string, object: KubeObject): KubeObject | undefined {
    const { deletionTimestamp, finalizers } = object.metadata;
    const { gracePeriodMs } = this.#options;
    const isRunning = storage === "pods" && gracePeriodMs !== undefined &&
      Boolean((object as Pod).spec.nodeName) && !isOver(object as Pod);
    if (!finalizers?.length && !isRunning) {
      this.store.remove(storage, object);
      return undefined;
    }
    if (deletionTimestamp !== undefined) return object;
    const metadata = { ...object.metadata, deletionTimestamp: kubeTime(Date.now()) };
    const left = this.store.put(storage, { ...object, metadata });
    if (isRunning) setTimeout(() => this.#end(left as Pod), gracePeriodMs());
    return left;
  }

  /** A kubelet says that a pod has ended. */
  #end(pod: Pod): void {
    const now = this.store.get("pods", objectKey(pod));
    if (now?.metadata.uid === pod.metadata.uid) this.store.remove("pods", now);
  }

  #require(target: Target): KubeObject {
    const { resource, namespace, name = "" } = target;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const object = this.store.get(resource.storage, key);
    if (object === undefined) throw notFound(resource.plural, name);
    return object;
  }

  #newMetadata(
    given: { namespace?: string; name?: string; generateName?: string },
  ): KubeObject["metadata"] {
    const uid = this.#options.uidOf?.(given) ?? crypto.randomUUID();
    return {
      ...given,
      name: given.name ?? `${given.generateName}${uid.slice(0, 5)}`,
      uid,
      resourceVersion: "0",
      creationTimestamp: kubeTime(Date.now()),
    };
  }
}

/** Whether two objects are the same as JSON; those of different lengths, which most are, need not be parsed. */
function isAlike(a: object, b: object): boolean {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one.length === other.length &&
    (one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other)));
}

function inNamespace(target: Target, selects: (object: KubeObject) => boolean) {
  const { namespace } = target;
  return (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && selects(object);
}
