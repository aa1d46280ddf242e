import type { ExtenderPreemptionResult } from "../../../shared/kubernetes/extender.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import type { Chance } from "../../../tools/chance.ts";
import type { ModelApi } from "./model_api.ts";
import type { NodeSpace } from "./room.ts";
import type { SchedulerView } from "./scheduler_view.ts";
import type { VirtualClock } from "./virtual_clock.ts";

/** A call of the extender; an error where the connection breaks. */
export type CallExtender = (
  verb: "filter" | "preempt" | "bind",
  args: object,
  signal?: AbortSignal,
) => Promise<unknown>;

/** What preemption works with. */
export interface PreemptionWorld {
  readonly api: ModelApi;
  readonly clock: VirtualClock;
  readonly chance: Chance;
  readonly call: CallExtender;
  /** A pod is to be deleted for a preemptor. */
  readonly evicts: (pod: Pod) => void;
}

/** What preemption says of a pod: `nominated` is where it is to go now, "" nowhere, absent as before. */
export interface PreemptionOutcome {
  /** Empty where victims leave. */
  readonly message: string;
  readonly nominated?: string;
}

/** A preemptor's victims but the last are deleted first, and the last one by itself. */
interface Eviction {
  last: string | undefined;
}

/** kube-scheduler's DefaultPreemption, which evicts while the scheduler goes on. */
export class ModelPreemption {
  readonly #world: PreemptionWorld;
  readonly #view: SchedulerView;
  /** By the preemptor's uid. */
  readonly #evictions = new Map<string, Eviction>();
  #isStopped = false;

  constructor(world: PreemptionWorld, view: SchedulerView) {
    this.#world = world;
    this.#view = view;
  }

  /** Its process ends: nobody else is evicted. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Whether a pod may not be tried because its victims are being evicted: events do not wake it, and are not kept for it. */
  isEvicting(uid: string): boolean {
    const eviction = this.#evictions.get(uid);
    if (!eviction) return false;
    const last = eviction.last === undefined ? undefined : this.#view.pods.get(eviction.last);
    return eviction.last === undefined || (last !== undefined && !isTerminating(last));
  }

  /** Looks for nodes where the pod had room if pods of a lower priority left, and evicts those that the extender lets it. */
  async preempt(pod: Pod, spaces: Map<string, NodeSpace>): Promise<PreemptionOutcome> {
    const priority = pod.spec.priority ?? 0;
    const lower = [...this.#view.placed()].filter(({ other }) =>
      (other.spec.priority ?? 0) < priority
    );
    const before = pod.status?.nominatedNodeName;
    if (lower.some(({ other, node }) => node === before && isTerminating(other))) {
      return { message: "victims are still leaving" };
    }
    const candidates = new Map<string, Pod[]>();
    for (const [name, space] of spaces) {
      const here = lower.filter(({ node }) => node === name).map(({ other }) => other);
      const victims = victimsOn(space, pod, here);
      if (victims) candidates.set(name, victims);
    }
    if (candidates.size === 0) return { message: "preemption is not helpful", nominated: "" };

    const NodeNameToMetaVictims = Object.fromEntries(
      [...candidates].map(([name, victims]) => [name, {
        Pods: victims.map(({ metadata: { uid } }) => ({ UID: uid })),
      }]),
    );
    const { call, chance } = this.#world;
    let answer: ExtenderPreemptionResult;
    try {
      answer = await call("preempt", {
        Pod: pod,
        NodeNameToMetaVictims,
      }) as ExtenderPreemptionResult;
    } catch (error) {
      return { message: (error as Error).message };
    }
    const nominated = chance.pick(Object.keys(answer.NodeNameToMetaVictims));
    if (nominated === undefined) return { message: "no candidate node for preemption" };
    const uids = answer.NodeNameToMetaVictims[nominated]!.Pods!.map(({ UID }) => UID);
    const victims = candidates.get(nominated)!.filter(({ metadata }) =>
      uids.includes(metadata.uid)
    );
    void this.#evict(pod.metadata.uid, victims.filter((victim) => !isTerminating(victim)));
    return { message: "", nominated };
  }

  async #evict(preemptor: string, victims: readonly Pod[]): Promise<void> {
    const last = victims.at(-1);
    if (!last) return;
    const { clock, chance } = this.#world;
    const eviction: Eviction = { last: undefined };
    this.#evictions.set(preemptor, eviction);
    await clock.sleep(chance.below(8));
    for (const victim of victims.slice(0, -1)) this.#delete(victim);
    if (victims.length > 1) await clock.sleep(chance.below(3));
    eviction.last = last.metadata.uid;
    this.#delete(last);
    await clock.sleep(chance.below(3));
    if (this.#evictions.get(preemptor) === eviction) this.#evictions.delete(preemptor);
  }

  #delete({ metadata: { uid } }: Pod): void {
    const { api, evicts } = this.#world;
    const victim = api.pods.get(uid);
    if (this.#isStopped || !victim) return;
    evicts(victim);
    api.deletePod(uid);
  }
}

/** The fewest pods without which the pod would have room, those that cost least first; undefined if that is not enough. */
function victimsOn(space: NodeSpace, pod: Pod, lower: Pod[]): Pod[] | undefined {
  for (const other of lower) space.remove(other);
  if (!space.takes(pod) || lower.length === 0) return undefined;
  const byImportance = lower.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0));
  const victims: Pod[] = [];
  for (const other of byImportance) {
    space.add(other);
    if (space.takes(pod)) continue;
    space.remove(other);
    victims.push(other);
  }
  return victims.length > 0 ? victims : undefined;
}

function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}
