import { assertEquals } from "@std/assert";
import type { ApiServer } from "../../tools/sandbox/api_server.ts";
import { objectKey, type Pod } from "../../tools/sandbox/objects.ts";
import { gangOf } from "./gang_pods.ts";

/** Follows every pod of an API server, for what must be true of them in the end. */
export class Invariant {
  readonly #server: ApiServer;
  /** UIDs of the pods that got a node, by `namespace/name`. */
  readonly #bound = new Map<string, Set<string>>();
  readonly #unsubscribe: () => void;

  constructor(server: ApiServer) {
    this.#server = server;
    this.#unsubscribe = server.store.subscribe(({ storage, type, object }) => {
      const pod = object as Pod;
      if (storage !== "pods" || type === "DELETED" || !pod.spec.nodeName) return;
      const uids = this.#bound.get(objectKey(pod)) ?? new Set();
      this.#bound.set(objectKey(pod), uids.add(pod.metadata.uid));
    });
  }

  /** When nothing is being bound: no gang is bound in part, and every pod with a node had exactly one successful binding. */
  check(): void {
    const gangs = new Map<string, { minMember: number; bound: number }>();
    for (const pod of this.#server.store.list("pods") as Pod[]) {
      const gang = gangOf(pod);
      if (!gang || Number.isNaN(gang.minMember)) continue;
      const count = gangs.get(gang.id) ?? { minMember: gang.minMember, bound: 0 };
      gangs.set(gang.id, { ...count, bound: count.bound + (pod.spec.nodeName ? 1 : 0) });
    }
    const partial = [...gangs].filter(([, { bound, minMember }]) => bound > 0 && bound < minMember);
    assertEquals(partial, [], "a gang is bound in part");
    assertEquals(this.bindings(), this.#expected(), "a pod was not bound exactly once");
  }

  /** How often the API server accepted a binding, by `namespace/name`. */
  bindings(): Record<string, number> {
    const times: Record<string, number> = {};
    for (const { verb, code, path } of this.#server.audit) {
      if (verb !== "bind" || code !== 201) continue;
      const [namespace, , name] = path.split("/").slice(-4);
      times[`${namespace}/${name}`] = (times[`${namespace}/${name}`] ?? 0) + 1;
    }
    return times;
  }

  /** Follows no more. */
  end(): void {
    this.#unsubscribe();
  }

  #expected(): Record<string, number> {
    return Object.fromEntries([...this.#bound].map(([pod, uids]) => [pod, uids.size]));
  }
}
