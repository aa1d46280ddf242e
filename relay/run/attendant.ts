/**
 * Carries events of gang groups to the pure decisions, and performs what they return.
 *
 * @module
 */
import {
  type Attended,
  hasNoUseForRoom,
  isJudged,
  type Preemptor,
  verdictOf,
} from "../../shared/core/attend/attended.ts";
import type { Effect, EffectOf } from "../../shared/core/attend/effect.ts";
import type { EventOf, GroupEvent } from "../../shared/core/attend/event.ts";
import type { Question } from "../../shared/core/attend/question.ts";
import type { Call, Snapshot } from "../../shared/core/attend/snapshot.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import type { LossCause } from "../../shared/core/gang/facts.ts";
import { OwnStageFailed } from "../../shared/contract/own_stage_failed.ts";
import { told } from "../../shared/core/words/told.ts";
import { times } from "../../shared/core/attend/times.ts";
import { whyPending } from "../../shared/core/words/why_pending.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { writeConditions } from "./gate_conditions.ts";
import { Awaited } from "./awaited.ts";
import { GroupTable, type Move } from "../../shared/cluster/group_table.ts";
import type { Hold } from "./holds.ts";
import { Evictor } from "./evictor.ts";
import { nominate, unnominate } from "./nominations.ts";
import { PlanLoop } from "./plan_loop.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { type Asked, CallFailed } from "../policy/policy_client.ts";
import { snapshotOf } from "../../shared/cluster/snapshot.ts";
import { inTrace } from "../trace.ts";
import type { World } from "./world.ts";

const stopping = "the relay is stopping";
const notLeading = "this scheduler does not lead any more";
/** Nothing is looked at sooner, in ms. */
const soonestMs = 10;
/** A timer takes no longer time: it would be over at once. */
const latestMs = 2 ** 31 - 1;

/** Attends to all gang groups. */
export class Attendant {
  readonly groups: GroupTable;
  readonly planLoop: PlanLoop;
  /** Whoever waits until a verdict is of the facts as they are. */
  readonly judged = new Awaited<GangGroup, void>();
  readonly #world: World;
  readonly #changedGroups = new Set<GangGroup>();
  /** Each wakes a group at the next time at which something is due. */
  readonly #timers = new Map<GangGroup, ReturnType<typeof setTimeout>>();
  readonly #evictor: Evictor;
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  #epoch = 0;
  #isStopped = false;
  #isLeading = true;

  constructor(world: World) {
    this.#world = world;
    this.#evictor = new Evictor(world, ({ gang }) => {
      this.happened(this.groups.of(gang), { is: "declared" });
    });
    this.groups = new GroupTable(world.cluster, (move) => this.#moved(move));
    this.planLoop = new PlanLoop(world, {
      groups: this.groups,
      planned: (group, planned) => this.advance(group, { is: "planned", ...planned }),
      reserved: (group) => this.advance(group, { is: "ungating" }),
    });
  }

  /** Whether the scheduler beside this relay is the one that schedules. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Whether pods are evicted for whole gangs. */
  get evicts(): boolean {
    return this.#world.evicts;
  }

  /** Why the functions can not be asked, where a gang group waits for their answer; undefined: none does. */
  get outage(): string | undefined {
    const states = [...this.groups].map(({ attended }) => verdictOf(attended));
    return states.find((why) => why?.reason === "FunctionsUnreachable")?.message;
  }

  /** Why no call is held any more; undefined: calls are. */
  get ending(): string | undefined {
    return this.#isStopped ? stopping : undefined;
  }

  /** The scheduler beside this relay became the one that schedules, or is it no more: then nothing is asked or written. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.planLoop.pause(!isLeading);
    if (!isLeading) this.#letAllGo(notLeading);
    for (const group of this.groups) {
      this.#clear(group);
      this.happened(group, { is: isLeading ? "declared" : "forget answers" });
    }
  }

  #letAllGo(why: string): void {
    for (const hold of [...this.#world.holds]) {
      if (!hold.call.isGranted) this.#release(hold, why);
    }
  }

  /** Lets every call go that is not granted, and asks nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.planLoop.stop();
    this.#evictor.stop();
    clearTimeout(this.#lookTimer);
    for (const group of this.groups) this.#clear(group);
    this.#letAllGo(stopping);
  }

  /** Whether fewer members have a node or are held than the gang needs. */
  lacksMembers(gang: string): boolean {
    return this.#world.cluster.gangs.get(gang)?.lacksMembers ?? true;
  }

  /** Answers a held call with an error: the scheduler forgets the pod's place. */
  #release(hold: Hold, sentence: string): void {
    this.#world.holds.close(hold, told(sentence));
  }

  /** A call is lost: its member is not held any more. */
  lose(hold: Hold, cause: LossCause, sentence: string): void {
    if (!this.#world.holds.has(hold)) return;
    this.#release(hold, sentence);
    const { pod, gang } = hold.call;
    const loss = { pod, cause, gang };
    this.happened(this.groups.of(gang), { is: "call lost", loss });
  }

  /** A pod that got its node by an earlier call waits no longer: its open call is answered as that node is. True: it was. */
  answerPlaced({ pod, node }: PodRecord): boolean {
    const { holds } = this.#world;
    const hold = holds.get(pod.metadata.uid);
    if (!hold || hold.call.isGranted || node === undefined) return false;
    const isThere = node === hold.call.pod.node;
    holds.close(hold, isThere ? undefined : told(`the pod is already bound to ${node}`));
    return true;
  }

  #moved({ gang, from, to }: Move): void {
    const uids = [...gang.members.keys()];
    const { refused, lost, preempted } = from.attended;
    this.happened(to, {
      is: "gang came",
      refused: uids.flatMap((uid) => refused.has(uid) ? [[uid, refused.get(uid)!] as const] : []),
      lost: lost.filter((loss) => loss.gang === gang.id),
      gang: gang.id,
      preempted: preempted.get(gang.id),
    });
    if (this.groups.has(from)) this.happened(from, { is: "gang left", gang: gang.id, uids });
    else this.#clear(from);
  }

  /** Something that plans depend on too. */
  happened(group: GangGroup | undefined, event: GroupEvent): void {
    this.planLoop.soon();
    if (group) this.advance(group, event);
  }

  /** Something happened to a group. */
  advance(group: GangGroup, event: GroupEvent): void {
    const { decisions } = this.#world;
    const { plan } = group.attended;
    const { attended, effects } = decisions.advance(group.attended, event, Date.now());
    if (plan && !attended.plan) this.planLoop.soon();
    this.set(group, attended);
    for (const effect of effects) this.#perform(group, effect);
  }

  /** What is known of a group is another than before. */
  set(group: GangGroup, attended: Attended): void {
    group.attended = attended;
    if (isJudged(attended)) this.judged.came(group, undefined);
  }

  #perform(group: GangGroup, effect: Effect): void {
    const { cluster, metrics } = this.#world;
    const recordsOf = (uids: readonly string[]) =>
      uids.flatMap((uid) => cluster.pods.get(uid) ?? []);
    switch (effect.do) {
      case "ask":
        return void this.#ask(group, effect.question);
      case "release":
        return this.#withHold(effect.call, (hold) => this.#release(hold, effect.sentence));
      case "bind":
        return this.#withHold(effect.call, (hold) => void this.#bind(hold));
      case "poke":
        return this.#world.poke(effect);
      case "park":
        return this.#park(group);
      case "say":
        return writeConditions(recordsOf(effect.uids), effect, this.#world);
      case "evict":
        return this.#evict(effect);
      case "nominate":
        return nominate(effect.members, this.#world);
      case "unnominate":
        return unnominate(effect.uids, this.#world);
      case "tell":
        return recordsOf(effect.uids).forEach(({ pod }) => this.#world.say(pod, effect));
      case "count round":
        return metrics.roundEnded(effect.decision, effect.heldMs);
      case "count start":
        return metrics.startedAsPromised(effect.lateMs);
      case "count broken promise":
        return metrics.promiseBroken(effect.by);
      case "ask about": {
        const other = this.groups.byId(effect.group);
        return other && this.advance(other, { is: "asked about" });
      }
      case "look":
        return this.#lookSoon(group);
      case "wake":
        return this.#wakeAt(group, effect.at);
      case "forget":
        return this.#forget(group);
    }
  }

  /** The call may have been answered since. */
  #withHold({ id, pod }: Call, perform: (hold: Hold) => void): void {
    const hold = this.#world.holds.get(pod.uid);
    if (hold?.call.id === id && !hold.call.isGranted) perform(hold);
  }

  #park(group: GangGroup): void {
    for (const gang of group.gangs) {
      for (const record of gang.members.values()) {
        if (!record.node && !record.foreign) this.#world.park(record);
      }
    }
  }

  #evict({ uids, by, group }: EffectOf<"evict">): void {
    if (!this.#world.evicts) return;
    const held = uids.filter((uid) => this.#world.holds.get(uid));
    if (held.length > 0) this.yield(held, { uid: group ?? "", title: by });
    this.#evictor.evict(uids, { group, by });
    if (group !== undefined) this.planLoop.soon();
  }

  /** Lets the gangs of these members go, also where their calls are still on the way. */
  yield(uids: readonly string[], to: Preemptor): void {
    const groups = Map.groupBy(
      uids,
      (uid) => this.groups.of(this.#world.cluster.pods.get(uid)?.gang),
    );
    for (const [group, members] of groups) {
      const calls = members.flatMap((uid) => {
        const call = this.#world.cluster.pods.get(uid)?.call;
        return call && !call.isGranted ? [call] : [];
      });
      if (group) this.happened(group, { is: "let go", calls, to, title: group.title });
    }
  }

  /** Events of one burst are looked at together, a few groups in one turn of the event loop. */
  #lookSoon(group: GangGroup, inMs = group.size * times.lookPerMember): void {
    this.#changedGroups.add(group);
    this.#lookTimer ??= setTimeout(() => this.#lookAtSome(), inMs);
  }

  #lookAtSome(): void {
    for (const group of this.#changedGroups.values().take(times.looksPerTurn).toArray()) {
      this.#changedGroups.delete(group);
      this.#look(group);
    }
    const isDone = this.#changedGroups.size === 0;
    this.#lookTimer = isDone ? undefined : setTimeout(() => this.#lookAtSome());
  }

  #wakeAt(group: GangGroup, at: number): void {
    this.#clear(group);
    if (this.#isStopped || !this.#isLeading) return;
    const ms = Math.min(Math.max(soonestMs, at - Date.now()), latestMs);
    const timer = setTimeout(() => this.#lookSoon(group, 0), ms);
    this.#timers.set(group, timer);
  }

  #clear(group: GangGroup): void {
    clearTimeout(this.#timers.get(group));
    this.#timers.delete(group);
  }

  #look(group: GangGroup): void {
    if (this.#isStopped || !this.#isLeading || !this.groups.has(group)) return;
    const { longestHoldMs: longestHold } = this.#world;
    const snapshot = this.#take(group);
    this.#clear(group);
    this.advance(group, { is: "look", snapshot, longestHold });
    if (group.attended.asking) return;
    this.planLoop.answered(group);
    this.#world.looked(group, snapshot);
  }

  #take(group: GangGroup): Snapshot {
    const { cluster, relayId } = this.#world;
    return snapshotOf(group, {
      relay: { id: relayId, epoch: ++this.#epoch },
      findGang: (id) => cluster.gangs.get(id),
    });
  }

  async #ask(group: GangGroup, question: Question): Promise<void> {
    const { stage } = question;
    const { metrics } = this.#world;
    const asking = group.attended.asking;
    const trace = asking?.calls.at(-1);
    try {
      const answer = await inTrace(
        trace && this.#world.holds.get(trace.pod.uid)?.trace,
        () => metrics.timed(stage, () => this.#askStage(question)),
      );
      if (group.attended.asking !== asking) return;
      metrics.decided(group.id, { stage, answer });
      if ("matchPolicy" in answer && answer.matchPolicy) {
        this.planLoop.countBy(answer.matchPolicy);
      }
      const hadNoUse = hasNoUseForRoom(group.attended.standing);
      this.advance(group, { is: "answered", answer, snapshot: this.#take(group) });
      if (hasNoUseForRoom(group.attended.standing) !== hadNoUse) this.planLoop.soon();
    } catch (error) {
      if (group.attended.asking === asking) this.#notAnswered(group, error as Error);
    }
    this.planLoop.answered(group);
  }

  #askStage(question: Question): Promise<Asked<Admission | Decision>> {
    const { policy } = this.#world;
    switch (question.stage) {
      case "prefilter":
        return policy.prefilter(question.request);
      case "permit":
        return policy.permit(question.request);
      case "postfilter":
        return policy.postfilter(question.request);
      case "unreserve":
        return policy.unreserve(question.request);
    }
  }

  #notAnswered(group: GangGroup, error: Error): void {
    const why = this.#whyUnanswered(group, error);
    const snapshot = this.#take(group);
    this.advance(group, { is: "unanswered", why, snapshot });
    this.#world.looked(group, snapshot);
  }

  /** An outage concerns every gang group; facts of one group that the functions do not take concern nobody else. */
  #whyUnanswered(group: GangGroup, error: Error): EventOf<"unanswered">["why"] {
    const { metrics, policy } = this.#world;
    const { title } = group;
    if (error instanceof CallFailed && error.isRefusal) {
      metrics.callRefused(title, error);
      return whyPending({ reason: "FactsRefused", title, error: error.message });
    }
    metrics.functionFailed("policy", error);
    const url = error.cause instanceof OwnStageFailed ? undefined : policy.url;
    return whyPending({ reason: "FunctionsUnreachable", title, url, error: error.message });
  }

  async #bind(hold: Hold): Promise<void> {
    const { bind, cluster, holds, metrics } = this.#world;
    const { pod, gang, openedAt } = hold.call;
    holds.grant(hold);
    try {
      await inTrace(hold.trace, () => bind(pod));
    } catch (error) {
      const { message } = error as Error;
      return this.lose(hold, "bind-failed", `binding to ${pod.node} failed: ${message}`);
    }
    cluster.podBound(hold.record, pod.node);
    metrics.bound(Date.now() - openedAt);
    holds.close(hold);
    this.answerPlaced(hold.record);
    this.happened(this.groups.of(gang), { is: "bound", gang, isWhole: !this.lacksMembers(gang) });
  }

  #forget(group: GangGroup): void {
    this.groups.delete(group);
    this.#clear(group);
    this.#world.looked(group, undefined);
  }
}
