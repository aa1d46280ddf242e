/**
 * Tells what happens to pods, PodGroups and calls of the scheduler as events of gang groups.
 *
 * @module
 */
import type { Preemptor } from "../../shared/core/attend/attended.ts";
import type { EventOf } from "../../shared/core/attend/event.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import { gangId } from "../../shared/core/gang/facts.ts";
import { told } from "../../shared/core/words/told.ts";
import { whyPending } from "../../shared/core/words/why_pending.ts";
import { classOf } from "../../shared/kubernetes/counting/census.ts";
import { isPreempted } from "../../shared/kubernetes/status/disruption.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { Attendant } from "./attendant.ts";
import type { PodChange } from "../cluster/cluster.ts";
import { earlierRefusalOf, EarlyRefusals } from "../scheduler/early_refusals.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Hold } from "../scheduler/holds.ts";
import { isGated, type PodRecord } from "../cluster/pod_record.ts";
import { fromScheduler } from "../scheduler/sentence.ts";
import { callOf } from "./snapshot.ts";
import type { World } from "./world.ts";

/** For whom a victim left, where that was not seen. */
const someone = "a pod of higher priority";

/** The loop of the relay. */
export class Reconciler {
  readonly #world: World;
  readonly #attendant: Attendant;
  readonly #earlyRefusals = new EarlyRefusals();

  constructor(world: World) {
    this.#world = world;
    this.#attendant = new Attendant(world);
  }

  /** The group of a gang, by its `namespace/name`; undefined for a gang not seen yet. */
  groupOf(gang: string | undefined): GangGroup | undefined {
    return this.#attendant.groups.of(gang);
  }

  /** The gang groups, for whoever counts them; none while another relay acts. */
  get groups(): readonly GangGroup[] {
    return this.isLeading ? [...this.#attendant.groups] : [];
  }

  /** Whether the scheduler beside this relay is the one that schedules. */
  get isLeading(): boolean {
    return this.#attendant.isLeading;
  }

  /** Why the functions can not be asked; undefined when they answer. */
  get outage(): string | undefined {
    return this.#attendant.outage;
  }

  /** Something happened to a pod. */
  podChanged(change: PodChange): void {
    const { record, isGone } = change;
    const group = record.gang === undefined ? undefined : this.#attendant.groups.find(record.gang);
    if (!group) return;
    const { uid, deletionTimestamp } = record.pod.metadata;
    const hold = this.#world.holds.get(uid);
    // Quorum may have counted on a member that had a node, or was about to be bound to one.
    const node = record.node ?? hold?.pod.node;
    if (node && (isGone || classOf(record.pod, node) !== "bound")) {
      this.#attendant.happened(group, {
        is: "place lost",
        uid,
        gang: record.gang!,
        isTooFew: this.#attendant.lacksMembers(record.gang!),
        by: isPreempted(record.pod) ? record.evictableFor ?? someone : undefined,
      });
    }
    if (isGone || deletionTimestamp) {
      this.#attendant.happened(group, { is: "member left", uid });
      if (hold && !hold.isGranted) this.#attendant.lose(hold, "deleted", "the pod was deleted");
    } else if (change.before) {
      this.#attendant.answerPlaced(record);
      this.#attendant.happened(group, { is: "member changed", ...failureIn(change) });
    } else {
      const refusal = this.#earlyRefusals.take(uid) ?? earlierRefusalOf(record);
      this.#attendant.happened(group, { is: "member came", uid, refusal });
      this.#noticeGateless(record);
    }
    for (const other of this.#attendant.groups.naming(record.gang!)) {
      this.#attendant.happened(other, { is: "declared" });
    }
  }

  #noticeGateless(record: PodRecord): void {
    if (!this.#attendant.planLoop.gateSwitch.isOn || record.node || record.foreign) return;
    if (isGated(record)) return;
    this.#world.metrics.gateless(gangId(record.pod.metadata));
    this.#attendant.planLoop.gateSwitch.missed();
  }

  /** The PodGroup of a gang came, changed or went. */
  podGroupChanged(gang: string): void {
    this.#attendant.happened(this.#attendant.groups.find(gang), { is: "declared" });
    for (const other of this.#attendant.groups.naming(gang)) {
      this.#attendant.happened(other, { is: "declared" });
    }
  }

  /** Free room changed. */
  roomChanged(): void {
    this.#attendant.planLoop.soon();
  }

  /** A bind call was opened. */
  opened(hold: Hold): void {
    if (this.#attendant.answerPlaced(hold.record)) return;
    const { uid, node } = hold.pod;
    this.#world.cluster.occupy(hold.record, node);
    this.#attendant.happened(this.#attendant.groups.find(hold.record.gang!), {
      is: "call opened",
      uid,
    });
  }

  /** The scheduler dropped a call: it has died, or it does not wait any longer. */
  dropped(hold: Hold): void {
    if (!hold.isGranted) this.#attendant.lose(hold, "aborted", "the scheduler dropped the call");
  }

  /** Why the scheduler may not try a pod now; noted, so that the pod is woken when it may. Undefined: it may. */
  refuse({ metadata }: Pod, gang: string): string | undefined {
    const { namespace, name, uid } = metadata;
    const group = this.groupOf(gang);
    const placed: Snapshot["placed"] = (id, comes) =>
      group?.gangs.find((gang) => gang.id === id)?.placed(this.#world.holds, comes) ?? 0;
    const now = Date.now();
    const { refusalOf } = this.#world.decisions;
    const why = refusalOf(group?.attended, { uid, gang, placed }, now);
    if (!why) return undefined;
    const sentence = told(why.message);
    const refusal = { pod: { namespace, name }, gang, reason: why.reason, sentence, at: now };
    if (group) this.#attendant.advance(group, { is: "refused", uid, refusal });
    else this.#earlyRefusals.add(uid, refusal);
    return sentence;
  }

  /** `filter` lets a member through: its bind call is next. Gives the nodes that it may take. */
  letThrough(member: { uid: string; gang: string }, nodes: readonly string[]): readonly string[] {
    const { uid, gang } = member;
    const group = this.groupOf(gang);
    if (!group) return nodes;
    const { cluster, decisions } = this.#world;
    const kind = cluster.pods.get(uid)?.kind;
    const offered = decisions.offer(group.attended, { uid, kind, nodes }, Date.now());
    group.advanced(offered.attended);
    return offered.nodes;
  }

  /** Why a member's bind call is not held now: the relay is stopping, or its gang has been let go for a preemptor. */
  refusesBind(record: PodRecord): string | undefined {
    const { namespace, name, uid } = record.pod.metadata;
    const { ending } = this.#attendant;
    if (ending !== undefined) return told(ending);
    if (!this.#world.cluster.pods.has(uid)) return told("the pod was deleted");
    const group = this.groupOf(record.gang);
    const yields = group?.attended.yields;
    if (!group || !yields || record.node || !this.#isStillNeeded(yields)) return undefined;
    const to = yields.to.title;
    const pod = { namespace, name, uid };
    const loss = { pod, cause: "aborted", gang: record.gang, by: to } as const;
    this.#attendant.happened(group, { is: "call lost", loss });
    return told(whyPending({ reason: "LetGo", title: group.title, to }).message);
  }

  /** Whether a preemptor still needs the room that a gang was let go for. */
  #isStillNeeded({ to, until }: { to: Preemptor; until: number }): boolean {
    const { cluster, holds } = this.#world;
    return Date.now() < until && !cluster.pods.get(to.uid)?.node && !holds.get(to.uid);
  }

  /** Lets the gangs of these members go, also where their calls are still on the way. */
  yield(uids: readonly string[], to: Preemptor): void {
    const groups = Map.groupBy(
      uids,
      (uid) => this.groupOf(this.#world.cluster.pods.get(uid)?.gang),
    );
    for (const [group, members] of groups) {
      const calls = members.flatMap((uid) => {
        const hold = this.#world.holds.get(uid);
        return hold && !hold.isGranted ? [callOf(hold)] : [];
      });
      if (group) this.#attendant.happened(group, { is: "let go", calls, to, title: group.title });
    }
  }

  /** The scheduler beside this relay became the one that schedules, or is it no more: then nothing is asked or written. */
  lead(isLeading: boolean): void {
    this.#attendant.lead(isLeading);
  }

  /** Lets every call go that is not granted, and asks nothing more. */
  stop(): void {
    this.#attendant.stop();
  }
}

/** What is new in what the scheduler's own plugins say of a member. */
function failureIn({ before, record }: PodChange): Omit<EventOf<"member changed">, "is"> {
  const { pod, node, gang, foreign } = record;
  const message = fromScheduler(pod);
  const messageBefore = before && fromScheduler(before);
  if (message === undefined || message === messageBefore || node || foreign) {
    return {};
  }
  const { uid, name } = pod.metadata;
  return {
    failure: { uid, name, message, gang },
    failedBefore: messageBefore !== undefined,
  };
}
