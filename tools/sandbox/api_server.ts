import { isDeepStrictEqual } from "node:util";
import { shutDown } from "../../shared/http/shut_down.ts";
import { ApiError, conflict, invalid, notFound } from "./api_error.ts";
import { parseJson, readJson, readObject, verbOf } from "./api_request.ts";
import { bindPod } from "./binding.ts";
import { evict } from "./eviction.ts";
import { toStored, toView } from "./event_view.ts";
import { isRecord, type KubeObject, kubeTime, objectKey, type Pod } from "./objects.ts";
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
import { openWatch, type Watch } from "./watch_stream.ts";

/** One request that the server answered. */
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

/** What the API server is started with. */
export interface ApiServerOptions {
  /** Served besides pods, nodes, namespaces and events; see `customResource`. */
  resources?: Resource[];
}

/** An in-memory stand-in for kube-apiserver over plain HTTP on 127.0.0.1; it refuses what it does not know. */
export class ApiServer {
  readonly store = new ObjectStore();
  /** Every answered request, oldest first. */
  readonly audit: AuditEntry[] = [];
  /** A fault to inject: an answer it returns is sent instead of the server's own. */
  intercept:
    | ((request: Request) => Response | undefined | Promise<Response | undefined>)
    | undefined;
  #resources: Resource[];
  #watches = new Set<Watch>();
  #stopping = false;
  #listener: Deno.HttpServer<Deno.NetAddr>;

  /** Starts to listen on a free port. */
  constructor(options: ApiServerOptions = {}) {
    this.#resources = [...RESOURCES, ...options.resources ?? []];
    for (const name of ["default", "kube-system"]) {
      const metadata = newMetadata({ name });
      const status = { phase: "Active" };
      this.store.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata, status });
    }
    this.#listener = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** Base URL, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** How many requests of this verb (see `AuditEntry`) were answered, for one resource or all. */
  count(verb: string, resource?: string): number {
    return this.audit.filter((entry) =>
      entry.verb === verb && (resource === undefined || entry.resource === resource)
    ).length;
  }

  /** Ends all open watches: normally, or in the middle of the connection. */
  dropWatches(options: { broken: boolean } = { broken: false }): void {
    for (const watch of [...this.#watches]) watch.end(options);
  }

  /** Ends all watches and stops listening. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.dropWatches();
    await shutDown(this.#listener);
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { method } = request;
    const entry = { verb: method.toLowerCase(), method, path: url.pathname, resource: "", code: 0 };
    let response: Response;
    try {
      response = await this.intercept?.(request.clone()) ?? await this.#handle(request, url, entry);
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(500, String(error));
      response = known.toResponse();
    }
    entry.code = response.status;
    this.audit.push(entry);
    return response;
  }

  #handle(request: Request, url: URL, entry: AuditEntry): Response | Promise<Response> {
    if (request.method === "GET") {
      if (["/healthz", "/livez", "/readyz"].includes(url.pathname)) return new Response("ok");
      const document = discoveryDocument(url.pathname, this.#resources);
      if (document !== undefined) return Response.json(document);
    }
    const target = resolvePath(url.pathname, this.#resources);
    const { resource, name, subresource } = target;
    entry.resource = [resource.plural, subresource].filter(Boolean).join("/");
    entry.verb = verbOf(request.method, target, url.searchParams);
    switch (entry.verb) {
      case "list":
        return this.#list(target, url.searchParams);
      case "watch":
        return this.#watch(target, url.searchParams);
      case "get":
        return Response.json(toView(this.#require(target), resource));
      case "create":
        return this.#create(target, request);
      case "bind":
        return this.#bind(target, request);
      case "evict":
        return this.#evict(target, request);
      case "patch":
        return this.#patch(target, request);
      case "delete":
        return this.#delete(target, request);
    }
    throw new ApiError(
      405,
      `The sandbox does not serve ${request.method} of ${entry.resource}${
        name ? ` "${name}"` : ""
      }`,
    );
  }

  #list(target: Target, query: URLSearchParams): Response {
    if (query.get("continue")) {
      throw new ApiError(400, "The sandbox returns whole lists: continue is not known");
    }
    const { resource } = target;
    const selects = inNamespace(target, selectorOf(query, resource.plural));
    return Response.json({
      kind: `${resource.kind}List`,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion: String(this.store.version) },
      items: this.store.list(resource.storage).filter(selects)
        .map((object) => toView(object, resource)),
    });
  }

  #watch(target: Target, query: URLSearchParams): Response {
    // A client that opens its watch again must not keep the server from ending.
    if (this.#stopping) throw new ApiError(503, "The API server is shutting down");
    const { resource } = target;
    const watch = openWatch({
      store: this.store,
      storage: resource.storage,
      query,
      selects: inNamespace(target, selectorOf(query, resource.plural)),
      view: (object) => toView(object, resource),
      type: { apiVersion: apiVersionOf(resource), kind: resource.kind },
    }, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    return watch.response;
  }

  async #create(target: Target, request: Request): Promise<Response> {
    const { resource, namespace } = target;
    const body = await readObject(request, resource);
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
    const given = { ...metadata, ...(namespace === undefined ? {} : { namespace }) };
    let object: KubeObject = { ...toStored(body, resource), metadata: newMetadata(given) };
    if (this.store.get(resource.storage, objectKey(object)) !== undefined) {
      throw new ApiError(409, `${resource.plural} "${object.metadata.name}" already exists`, {
        reason: "AlreadyExists",
        details: { name: object.metadata.name, kind: resource.plural },
      });
    }
    if (resource.kind === "Pod") object = preparePod(object as Pod);
    const stored = this.store.put(resource.storage, object);
    return Response.json(toView(stored, resource), { status: 201 });
  }

  async #bind(target: Target, request: Request): Promise<Response> {
    const binding: unknown = await readJson(request);
    this.store.put("pods", bindPod(this.#require(target) as Pod, binding));
    return Response.json(
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
      { status: 201 },
    );
  }

  async #evict(target: Target, request: Request): Promise<Response> {
    const body: unknown = await readJson(request);
    const budgets = this.store.list(disruptionBudgets.storage);
    const { pod, budget } = evict(this.#require(target) as Pod, body, budgets);
    if (budget) this.store.put(disruptionBudgets.storage, budget);
    this.store.put("pods", pod);
    this.#remove("pods", pod);
    return Response.json(
      { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
      { status: 201 },
    );
  }

  async #patch(target: Target, request: Request): Promise<Response> {
    const { resource, name = "" } = target;
    const patch = await readJson(request);
    const before = this.#require(target);
    const contentType = request.headers.get("content-type") ?? "";
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
    return Response.json(toView(updated, resource));
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
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(after)), JSON.parse(JSON.stringify(before)))) {
      return before;
    }
    const { deletionTimestamp, finalizers } = after.metadata;
    if (deletionTimestamp !== undefined && !finalizers?.length) {
      this.store.remove(resource.storage, after);
      return after;
    }
    return this.store.put(resource.storage, after);
  }

  async #delete(target: Target, request: Request): Promise<Response> {
    const { resource, name = "" } = target;
    const text = await request.text();
    const options: unknown = text === "" ? {} : parseJson(text);
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
    if (left || resource.kind === "Pod") return Response.json(left ?? object);
    const details = { name, kind: resource.plural, uid: object.metadata.uid };
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
    return Response.json(status);
  }

  /** What is left of an object until its finalizers are gone; undefined: nothing. */
  #remove(storage: string, object: KubeObject): KubeObject | undefined {
    const { deletionTimestamp, finalizers } = object.metadata;
    if (!finalizers?.length) {
      this.store.remove(storage, object);
      return undefined;
    }
    if (deletionTimestamp !== undefined) return object;
    const metadata = { ...object.metadata, deletionTimestamp: kubeTime(Date.now()) };
    return this.store.put(storage, { ...object, metadata });
  }

  #require(target: Target): KubeObject {
    const { resource, namespace, name = "" } = target;
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const object = this.store.get(resource.storage, key);
    if (object === undefined) throw notFound(resource.plural, name);
    return object;
  }
}

function inNamespace(target: Target, selects: (object: KubeObject) => boolean) {
  const { namespace } = target;
  return (object: KubeObject) =>
    (namespace === undefined || object.metadata.namespace === namespace) && selects(object);
}

function newMetadata(
  given: { name?: string; generateName?: string },
): KubeObject["metadata"] {
  const uid = crypto.randomUUID();
  return {
    ...given,
    name: given.name ?? `${given.generateName}${uid.slice(0, 5)}`,
    uid,
    resourceVersion: "0",
    creationTimestamp: kubeTime(Date.now()),
  };
}
