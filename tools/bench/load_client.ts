import type { Connection } from "../control_plane/api_client.ts";
import { nativePodGroups } from "../control_plane/native_pod_groups.ts";
import { type Gang, priorities } from "./work.ts";

/** Says how many members the gang of a pod has. */
export const sizeLabel = "pod-group.scheduling.sigs.k8s.io/min-available";

/** The namespace of all pods. */
export const NAMESPACE = "bench";

/** How a system's users declare a gang. */
export interface Declaration {
  /** A PodGroup of Kubernetes itself instead of labels. */
  podGroups?: boolean;
  /** Pods are created with Muster's scheduling gate. */
  isGated?: boolean;
  /** Not at all: its pods are regular ones. */
  isNone?: boolean;
  /** Pods are created on a node, the first on the first of so many, as if they had been bound. */
  onNodes?: number;
}

interface RequestOptions {
  accept?: string;
  body?: BodyInit;
}

const podsPath = `/api/v1/namespaces/${NAMESPACE}/pods`;
const podGroupsPath = `/apis/${nativePodGroups.apiVersion}/namespaces/${NAMESPACE}/podgroups`;
const watchPath = `${podsPath}?watch=1&fieldSelector=spec.nodeName!=`;
/** As little of a pod as the API server can be asked for. */
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const metadataListOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const now = JSON.stringify({ gracePeriodSeconds: 0 });
const encoder = new TextEncoder();

/**
 * Creates, follows and deletes pods for as little CPU time as possible, because the load runs on the same cores as what is
 * measured: bodies are encoded beforehand, answers are not parsed, and bound pods are all that the watch shows.
 */
export class LoadClient implements Disposable {
  readonly #server: string;
  readonly #authorization: string;
  readonly #http: Deno.HttpClient;

  constructor({ server, ca, token }: Connection) {
    this.#server = server;
    this.#authorization = `Bearer ${token}`;
    this.#http = Deno.createHttpClient({ caCerts: [ca], poolMaxIdlePerHost: 64 });
  }

  /** Posts an encoded pod; resolves to what the API server gave it. */
  async createPod(
    body: Uint8Array<ArrayBuffer>,
  ): Promise<{ creationTimestamp: string; resourceVersion: string }> {
    const text = await this.#send("POST", podsPath, { body });
    return {
      creationTimestamp: after(text, '"creationTimestamp":"'),
      resourceVersion: after(text, '"resourceVersion":"'),
    };
  }

  async createPodGroup(gang: Gang): Promise<void> {
    const podGroup = {
      apiVersion: nativePodGroups.apiVersion,
      kind: "PodGroup",
      metadata: { name: gang.name },
      spec: { schedulingPolicy: { gang: { minCount: gang.size } } },
    };
    await this.#send("POST", podGroupsPath, { body: JSON.stringify(podGroup) });
  }

  async deletePod(name: string): Promise<void> {
    await this.#send("DELETE", `${podsPath}/${name}`, { body: now });
  }

  /** Deletes every pod; resolves when none is left. */
  async deleteAll(): Promise<void> {
    const accept = metadataListOnly;
    await this.#send("DELETE", podsPath, { body: now, accept });
    const left = await this.#send("GET", `${podsPath}?limit=1`, { accept });
    if (after(left, '"name":"') !== "") await this.deleteAll();
  }

  /** How many pods have a scheduling gate. */
  async countGated(): Promise<number> {
    let gated = 0;
    let next = "";
    do {
      const page = await this.#send("GET", `${podsPath}?limit=500&continue=${next}`, {
        accept: "application/json",
      });
      gated += page.split('"schedulingGates":').length - 1;
      next = after(page, '"continue":"');
    } while (next !== "");
    return gated;
  }

  /**
   * Calls `bound` once with the name of every pod that has a node, now or later, until the signal is aborted. A watch that ends,
   * as under load, is opened again where it was: to be told of all of them anew would be more load.
   */
  async watchBound(bound: (name: string) => void, signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    let version = "";
    while (!signal.aborted) {
      for await (const line of this.#lines(`${watchPath}&resourceVersion=${version}`, signal)) {
        // A version that is too old is an error.
        version = line.startsWith('{"type":"ERROR"') ? "" : after(line, '"resourceVersion":"');
        if (!line.startsWith('{"type":"ADDED"')) continue;
        const name = after(line, '"name":"');
        if (seen.has(name)) continue;
        seen.add(name);
        bound(name);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#http.close();
  }

  async *#lines(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const { body } = await this.#fetch("GET", path, {});
    const reader = (body ?? new ReadableStream()).getReader();
    const cancel = () => reader.cancel();
    if (signal.aborted) await cancel();
    signal.addEventListener("abort", cancel);
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const lines = (rest + decoder.decode(read.value, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async #send(method: string, path: string, options: RequestOptions): Promise<string> {
    const response = await this.#fetch(method, path, options);
    return await response.text();
  }

  async #fetch(method: string, path: string, options: RequestOptions): Promise<Response> {
    const { accept = metadataOnly, ...init } = options;
    const response = await fetch(this.#server + path, {
      ...init,
      method,
      client: this.#http,
      headers: {
        authorization: this.#authorization,
        accept,
        "content-type": "application/json",
      },
    });
    if (response.ok) return response;
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  }
}

/** The encoded pods of a gang; member `i` is named `<gang>-<i>`. */
export function encodeMembers(gang: Gang, declaration: Declaration): Uint8Array<ArrayBuffer>[] {
  return Array.from(
    { length: gang.size },
    (_, index) => encoder.encode(JSON.stringify(podOf(gang, { index, ...declaration }))),
  );
}

/** The gang of the member with this name. */
export function gangOf(podName: string): string {
  return podName.slice(0, podName.lastIndexOf("-"));
}

/** PriorityClasses for the API server. */
export function priorityClasses(): object[] {
  return Object.entries(priorities).map(([name, value]) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    preemptionPolicy: "Never",
  }));
}

function podOf(gang: Gang, options: Declaration & { index: number }): object {
  const { name, size, gpus, priority, topology } = gang;
  const labels = {
    "pod-group.scheduling.sigs.k8s.io/name": name,
    [sizeLabel]: String(size),
  };
  const annotations = Object.fromEntries(
    Object.entries(topology ?? {}).map(([how, key]) => [`muster.scheduling/${how}-topology`, key]),
  );
  const resources = { limits: { "nvidia.com/gpu": String(gpus) } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${options.index}`,
      ...(options.podGroups || options.isNone ? {} : { labels }),
      ...(topology && { annotations }),
    },
    spec: {
      schedulerName: "muster",
      containers: [{ name: "main", image: "none", resources }],
      ...(priority === undefined ? {} : { priorityClassName: priority }),
      ...(options.podGroups ? { schedulingGroup: { podGroupName: name } } : {}),
      ...(options.onNodes ? { nodeName: `node-${options.index % options.onNodes + 1}` } : {}),
      ...(options.isGated ? { schedulingGates: [{ name: "muster.scheduling/queued" }] } : {}),
    },
  };
}

/** The text between the first occurrence of `start` and the next quote; empty where there is none. */
function after(text: string, start: string): string {
  const from = text.indexOf(start);
  return from < 0 ? "" : text.slice(from + start.length, text.indexOf('"', from + start.length));
}
