import type { Refusal } from "./node_room.ts";
import { isRecord, type Pod } from "./objects.ts";

/** A call of an extender: its parsed answer; throws where the connection breaks or the signal aborts. */
export type CallExtender = (
  verb: "filter" | "preempt" | "bind",
  body: object,
  signal: AbortSignal,
) => Promise<unknown>;

/** How long calls may take, in seconds: two timeouts, as two extender entries have them. */
export interface ExtenderTimeouts {
  /** Default 5, as in kube-scheduler. */
  filterTimeoutSeconds?: number;
  /** Default 60. */
  bindTimeoutSeconds?: number;
}

/** Calls over HTTP; `url` is the prefix of the verbs, such as `http://127.0.0.1:8080/extender`. */
export function callOverHttp(url: string): CallExtender {
  return async (verb, body, signal) => {
    const response = await fetch(`${url}/${verb}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
      signal,
    });
    if (response.status === 200) return await response.json();
    await response.body?.cancel();
    throw new Error(`failed ${verb} with extender at URL ${url}/${verb}, code ${response.status}`);
  };
}

/** The answer to `filter`. */
export interface FilterAnswer {
  nodeNames: string[];
  /** By node. */
  refusals: Map<string, Refusal>;
}

/** Victims by node: uids. */
export type Victims = Record<string, string[]>;

/** kube-scheduler's side of the extender protocol (k8s.io/kube-scheduler/extender/v1), nodeCacheCapable. */
export class Extender {
  readonly #send: CallExtender;
  readonly #timeouts: ExtenderTimeouts;
  readonly #open = new Set<AbortController>();

  constructor(send: CallExtender, timeouts: ExtenderTimeouts = {}) {
    this.#send = send;
    this.#timeouts = timeouts;
  }

  /** Hangs up on every open call. */
  stop(): void {
    for (const abort of this.#open) abort.abort();
  }

  /** Asks which of the nodes may take the pod; throws for an error of the extender. */
  async filter(pod: Pod, nodeNames: string[]): Promise<FilterAnswer> {
    const answer = await this.#call("filter", { Pod: pod, Nodes: null, NodeNames: nodeNames });
    const left = field(answer, "NodeNames") ?? [];
    if (!Array.isArray(left)) {
      throw new TypeError(`extender filter: NodeNames is not a list: ${left}`);
    }
    const foreign = left.find((name) => !nodeNames.includes(name));
    if (foreign !== undefined) {
      throw new Error(`extender filter: "${foreign}" is not among the nodes it was asked about`);
    }
    const refusals = new Map<string, Refusal>();
    for (
      const [key, resolvable] of [["FailedNodes", true], [
        "FailedAndUnresolvableNodes",
        false,
      ]] as const
    ) {
      for (const [node, reason] of Object.entries(field(answer, key) ?? {})) {
        refusals.set(node, { reasons: [String(reason)], resolvable });
      }
    }
    return { nodeNames: left, refusals };
  }

  /** Asks which preemptions may go on; the victims are what the extender leaves or changes. */
  async preempt(pod: Pod, victims: Victims): Promise<Victims> {
    const toMeta = ([node, uids]: [string, string[]]) => [
      node,
      { Pods: uids.map((UID) => ({ UID })), NumPDBViolations: 0 },
    ];
    const answer = await this.#call("preempt", {
      Pod: pod,
      NodeNameToMetaVictims: Object.fromEntries(Object.entries(victims).map(toMeta)),
    });
    const left = field(answer, "NodeNameToMetaVictims") ?? {};
    if (!isRecord(left)) {
      throw new TypeError("extender preempt: NodeNameToMetaVictims is no object");
    }
    return Object.fromEntries(
      Object.entries(left).map(([node, value]) => {
        const pods = isRecord(value) ? field(value, "Pods") : undefined;
        const uids = (Array.isArray(pods) ? pods : []).map((one) => String(field(one, "UID")));
        return [node, uids];
      }),
    );
  }

  /** Lets the extender bind; stays open as long as it takes to answer. */
  async bind(pod: Pod, node: string): Promise<void> {
    const { name, namespace, uid } = pod.metadata;
    await this.#call("bind", {
      PodName: name,
      PodNamespace: namespace,
      PodUID: uid,
      Node: node,
    });
  }

  async #call(verb: "filter" | "preempt" | "bind", body: object): Promise<unknown> {
    const { filterTimeoutSeconds = 5, bindTimeoutSeconds = 60 } = this.#timeouts;
    const seconds = verb === "bind" ? bindTimeoutSeconds : filterTimeoutSeconds;
    const abort = new AbortController();
    this.#open.add(abort);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abort.abort();
    }, seconds * 1000);
    try {
      const answer = await this.#send(verb, body, abort.signal);
      const error = field(answer, "Error");
      if (error) throw new Error(String(error));
      return answer;
    } catch (error) {
      throw isLate ? new Error(`${verb}: context deadline exceeded`) : error;
    } finally {
      clearTimeout(timer);
      this.#open.delete(abort);
    }
  }
}

/** A field of a Go answer: Go matches names without regard to case. */
function field(object: unknown, name: string): unknown {
  if (!isRecord(object)) return undefined;
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}
