import type { Extender, Victims } from "./extender_client.ts";
import type { NodeRoom } from "./node_room.ts";
import { type Pod, priorityOf } from "./objects.ts";
import type { SchedulerView } from "./scheduler_view.ts";
import { sleep } from "../sleep.ts";

/** What preemption works with. */
export interface PreemptionWorld {
  readonly view: SchedulerView;
  readonly extender: Extender | undefined;
  /** Picks a node instead of the one whose victims matter least. */
  readonly pick: ((nodes: readonly string[]) => string) | undefined;
  /** How long a step of an eviction takes, in milliseconds, up to but not including so many. */
  readonly pauseMs: (below: number) => number;
  /** Deletes a victim. */
  readonly evict: (victim: Pod, preemptor: Pod) => void;
}

/** A preemptor's victims but the last are deleted first, and the last one by itself. */
interface Eviction {
  last: string | undefined;
}

/** How preemption ended: the node that the pod is nominated to, "" for none, undefined to leave that as it is; and what is said of it. */
export interface PreemptionEnd {
  readonly nominate?: string;
  readonly message?: string;
}

/** Said where the extender leaves none. */
const noCandidate = "preemption: no candidate node for preemption";

/** kube-scheduler's DefaultPreemption, which evicts while the scheduler goes on. */
export class Preemption {
  readonly #world: PreemptionWorld;
  /** By the preemptor's uid. */
  readonly #evictions = new Map<string, Eviction>();

  constructor(world: PreemptionWorld) {
    this.#world = world;
  }

  /** Whether a pod may not be tried because its victims are being evicted: events do not wake it, and are not kept for it. */
  isEvicting(uid: string): boolean {
    const eviction = this.#evictions.get(uid);
    if (!eviction) return false;
    const last = eviction.last === undefined ? undefined : this.#world.view.pods.get(eviction.last);
    return eviction.last === undefined || (last !== undefined && !isTerminating(last));
  }

  /**
   * Looks in these rooms for one where the pod fits if pods of a lower priority leave, and evicts those that the extender lets it:
   * the node that the pod is nominated to. Throws where the extender fails.
   */
  async preempt(pod: Pod, rooms: Iterable<NodeRoom>): Promise<PreemptionEnd> {
    const { view, extender, pick } = this.#world;
    if (pod.spec.preemptionPolicy === "Never") return {};
    const lower = [...view.placed()].filter(({ other }) => priorityOf(other) < priorityOf(pod));
    const before = pod.status.nominatedNodeName;
    // Pods that were evicted for it are still on their way out.
    if (lower.some(({ other, node }) => node === before && isTerminating(other))) return {};
    const candidates: Victims = {};
    for (const room of rooms) {
      const { name } = room.node.metadata;
      const here = lower.filter(({ node }) => node === name).map(({ other }) => other);
      const victims = victimsIn(room, pod, here);
      if (victims.length > 0) candidates[name] = victims.map(({ metadata }) => metadata.uid);
    }
    if (Object.keys(candidates).length === 0) return { nominate: "" };

    const left = extender ? await extender.preempt(pod, candidates) : candidates;
    const nodes = Object.keys(left);
    if (nodes.length === 0) return { message: noCandidate };
    const byUid = new Map(lower.map(({ other }) => [other.metadata.uid, other]));
    const victimsOn = (node: string) => left[node]!.flatMap((uid) => byUid.get(uid) ?? []);
    const node = pick ? pick(nodes) : leastImportant(nodes, victimsOn);
    void this.#evict(pod, victimsOn(node).filter((victim) => !isTerminating(victim)));
    return { nominate: node };
  }

  async #evict(preemptor: Pod, victims: readonly Pod[]): Promise<void> {
    const last = victims.at(-1);
    if (!last) return;
    const { pauseMs, evict } = this.#world;
    const { uid } = preemptor.metadata;
    const eviction: Eviction = { last: undefined };
    this.#evictions.set(uid, eviction);
    await sleep(pauseMs(8));
    for (const victim of victims.slice(0, -1)) evict(victim, preemptor);
    if (victims.length > 1) await sleep(pauseMs(3));
    eviction.last = last.metadata.uid;
    evict(last, preemptor);
    await sleep(pauseMs(3));
    if (this.#evictions.get(uid) === eviction) this.#evictions.delete(uid);
  }
}

/** The fewest pods without which the pod would have room, the most important last; none if that is not enough. */
function victimsIn(room: NodeRoom, pod: Pod, lower: readonly Pod[]): Pod[] {
  for (const other of lower) room.remove(other);
  if (lower.length === 0 || !room.takes(pod)) return [];
  // As many as possible are reprieved, the most important first.
  return lower.toSorted((a, b) => priorityOf(b) - priorityOf(a) || age(a) - age(b))
    .filter((other) => {
      room.add(other);
      if (room.takes(pod)) return false;
      room.remove(other);
      return true;
    });
}

/** The node with the lowest highest priority of its victims, then the lowest sum, then the fewest. */
function leastImportant(nodes: string[], victimsOn: (node: string) => Pod[]): string {
  const rankOf = (node: string) => {
    const priorities = victimsOn(node).map(priorityOf);
    const sum = priorities.reduce((total, priority) => total + priority, 0);
    return [Math.max(...priorities), sum, priorities.length];
  };
  const ranked = nodes.map((node) => ({ node, rank: rankOf(node) }));
  ranked.sort((a, b) => {
    const at = a.rank.findIndex((value, index) => value !== b.rank[index]);
    return at < 0 ? 0 : a.rank[at]! - b.rank[at]!;
  });
  return ranked[0]!.node;
}

function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function age(pod: Pod): number {
  return Date.parse(pod.status.startTime ?? pod.metadata.creationTimestamp);
}
