/**
 * What the cluster has of its resources, and what of it is taken, told to the functions now and then.
 *
 * @module
 */
import type { ResourceAmounts } from "../../shared/core/gang/facts.ts";
import type { Resources } from "../../shared/core/room/fit.ts";
import { limits } from "../../shared/core/gang/limits.ts";
import { add, allocatableOf } from "../../shared/kubernetes/counting/requests.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { PodRecord } from "../cluster/pod_record.ts";

/** Whoever watches sees nothing sooner, and a cluster in motion pays for no more. */
const reportMs = 10_000;

/** Pod slots are seldom what is short. */
const leftOut = "pods";

/** Open bind calls, by what their pods ask for. */
type Held = Iterable<{ readonly record: Pick<PodRecord, "requests"> }>;

/** Looks at the nodes and the held pods, and at no other pod, once in ten seconds at most. */
export class ResourceReport {
  readonly #cluster: Pick<Cluster, "nodes" | "free">;
  readonly #holds: Held;
  #reportedAt = -Infinity;

  constructor(cluster: Pick<Cluster, "nodes" | "free">, holds: Held) {
    this.#cluster = cluster;
    this.#holds = holds;
  }

  /** The amounts, if it is time to tell them at this time in ms since the epoch. */
  due(now: number): ResourceAmounts[] | undefined {
    if (now < this.#reportedAt + reportMs) return undefined;
    this.#reportedAt = now;
    const [allocatable, free, held] = [new Map(), new Map(), new Map()] as Map<string, number>[];
    for (const node of this.#cluster.nodes.values()) add(allocatable!, allocatableOf(node));
    for (const room of this.#cluster.free.values()) add(free!, countedOf(room));
    for (const { record } of this.#holds) add(held!, record.requests);
    return [...allocatable!].filter(([name, amount]) => name !== leftOut && amount > 0)
      .slice(0, limits.clusterResources)
      .map(([name, amount]) => {
        const heldAmount = held!.get(name) ?? 0;
        const bound = Math.max(0, amount - (free!.get(name) ?? 0) - heldAmount);
        return { name, allocatable: amount, bound, held: heldAmount };
      });
  }
}

/** What is there without being counted tells nothing of what is taken. */
function countedOf(room: Resources): Resources {
  return new Map([...room].filter(([, amount]) => amount < Infinity));
}
