import { isRecord, type Pod } from "./objects.ts";

/** Where the extender is and how long its calls may take; two timeouts, as two extender entries have them. */
export interface ExtenderOptions {
  /** Prefix of the verbs, such as `http://127.0.0.1:8080/extender`. */
  url: string;
  /** Default 5, as in kube-scheduler. */
  filterTimeoutSeconds?: number;
  /** Default 60. */
  bindTimeoutSeconds?: number;
  signal: AbortSignal;
}

/** The answer to `filter`. */
export interface FilterAnswer {
  nodeNames: string[];
  failed: Record<string, string>;
  unresolvable: Record<string, string>;
}

/** Victims by node: uids. */
export type Victims = Record<string, string[]>;

/** kube-scheduler's side of the extender protocol (k8s.io/kube-scheduler/extender/v1), nodeCacheCapable. */
export class ExtenderClient {
  #options: ExtenderOptions;

  constructor(options: ExtenderOptions) {
    this.#options = options;
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
    return {
      nodeNames: left,
      failed: textMap(field(answer, "FailedNodes")),
      unresolvable: textMap(field(answer, "FailedAndUnresolvableNodes")),
    };
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

  async #call(verb: "filter" | "preempt" | "bind", body: unknown): Promise<unknown> {
    const { url, signal, filterTimeoutSeconds = 5, bindTimeoutSeconds = 60 } = this.#options;
    const seconds = verb === "bind" ? bindTimeoutSeconds : filterTimeoutSeconds;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), seconds * 1000);
    try {
      const response = await fetch(`${url}/${verb}`, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new Error(
          `failed ${verb} with extender at URL ${url}/${verb}, code ${response.status}`,
        );
      }
      const answer: unknown = await response.json();
      const error = field(answer, "Error");
      if (error) throw new Error(String(error));
      return answer;
    } catch (error) {
      if (!timeout.signal.aborted) throw error;
      throw new Error(`Post "${url}/${verb}": context deadline exceeded`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A field of a Go answer: Go matches names without regard to case. */
function field(object: unknown, name: string): unknown {
  if (!isRecord(object)) return undefined;
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

function textMap(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
