/**
 * Carries facts about gang groups to the functions and their answers back to held calls, one call at a time for a group
 * and always from the facts as they are now.
 *
 * @module
 */
import { gangId, type Loss } from "../shared/core/facts.ts";
import { classOf } from "../shared/kubernetes/census.ts";
import { Admissions } from "./admissions.ts";
import type { PodChange } from "./cluster.ts";
import { isGated, type PodRecord } from "./pod_record.ts";
import { Decisions } from "./decisions.ts";
import { earlierRefusalOf, EarlyRefusals } from "./early_refusals.ts";
import { noticeFailure, noticeStanding, standingAt } from "./failures.ts";
import type { GangGroup, Preemptor, Refusal, Snapshot } from "./gang_group.ts";
import { GateConditions } from "./gate_conditions.ts";
import { GroupTable } from "./group_table.ts";
import type { Hold } from "./holds.ts";
import { Nominations } from "./nominations.ts";
import { PlanLoop } from "./plan_loop.ts";
import { toldLetGo } from "./preempted_members.ts";
import { told } from "./sentence.ts";
import { Unanswered } from "./unanswered.ts";
import type { World } from "./world.ts";

/** Bind calls of a gang that was let go for a preemptor are refused for so long. */
const yieldMs = 5000;
const stopping = "the relay is stopping";
const notLeading = "this scheduler does not lead any more";

/** The loop of the relay. */
export class Reconciler {
  readonly #world: World;
  readonly #groups: GroupTable;
  readonly #planLoop: PlanLoop;
  readonly #admissions: Admissions;
  readonly #decisions: Decisions;
  readonly #gateConditions: GateConditions;
  readonly #unanswered: Unanswered;
  readonly #nominations: Nominations;
  readonly #changedGroups = new Set<GangGroup>();
  readonly #earlyRefusals = new EarlyRefusals();
  #runTimer: ReturnType<typeof setTimeout> | undefined;
  #epoch = 0;
  #isStopped = false;
  #isLeading = true;

  constructor(world: World) {
    this.#world = world;
    this.#groups = new GroupTable(world.cluster, (group) => this.#changed(group));
    this.#planLoop = new PlanLoop(world, {
      groups: this.#groups,
      planned: (group, before) => {
        if (this.#admissions.isNews(group, before)) void this.#run(group);
      },
    });
    this.#admissions = new Admissions(world);
    this.#gateConditions = new GateConditions(world);
    this.#unanswered = new Unanswered(world);
    this.#nominations = new Nominations(world);
    this.#decisions = new Decisions(world, {
      bound: ({ record }) => this.#bound(record.gang!),
      failed: (hold, error) => this.#lose(hold, { cause: "bind-failed" }, error),
    });
  }

  /** The group of a gang, by its `namespace/name`; undefined for a gang not seen yet. */
  groupOf(gang: string | undefined): GangGroup | undefined {
    return this.#groups.of(gang);
  }

  /** The gang groups, for whoever counts them; none while another relay acts. */
  get groups(): readonly GangGroup[] {
    return this.#isLeading ? [...this.#groups] : [];
  }

  /** Whether the scheduler beside this relay is the one that schedules. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Why the functions can not be asked; undefined when they answer. */
  get outage(): string | undefined {
    return this.#unanswered.outage;
  }

  /** Something happened to a pod. */
  podChanged({ before, record, isGone }: PodChange): void {
    const group = record.gang === undefined ? undefined : this.#groups.find(record.gang);
    if (!group) return;
    const { uid, deletionTimestamp } = record.pod.metadata;
    const hold = this.#world.holds.get(uid);
    // Quorum may have counted on a member that had a node, or was about to be bound to one.
    const node = record.node ?? hold?.pod.node;
    if (node && (isGone || classOf(record.pod, node) !== "bound")) {
      group.weakened++;
      group.preempted.left(record);
      if (this.#lacksMembers(record.gang!)) group.brokenAt = group.weakened;
    }
    if (isGone || deletionTimestamp) {
      group.failed.delete(uid);
      group.refused.delete(uid);
      if (hold && !hold.isGranted) {
        this.#lose(hold, { cause: "deleted" }, told("the pod was deleted"));
      }
    } else if (before) {
      this.#decisions.answerPlaced(record);
      noticeFailure(group, { before, record, isGone });
    } else {
      group.arrived();
      const refusal = this.#earlyRefusals.take(uid) ?? earlierRefusalOf(record);
      if (refusal) group.refused.set(uid, refusal);
      this.#noticeGateless(record);
    }
    this.#changed(group);
    for (const other of this.#groups.naming(record.gang!)) this.#changed(other);
  }

  /** Whether fewer members have a node or are held than the gang needs. */
  #lacksMembers(gangName: string): boolean {
    const gang = this.#world.cluster.gangs.get(gangName);
    return !gang || gang.placed(this.#world.holds) < gang.read().spec.minMember;
  }

  #bound(gang: string): void {
    const group = this.groupOf(gang);
    if (!this.#lacksMembers(gang)) group?.preempted.forget(gang);
    this.#changed(group);
  }

  #noticeGateless(record: PodRecord): void {
    if (!this.#planLoop.gateSwitch.isOn || record.node || record.foreign) return;
    if (isGated(record)) return;
    this.#world.metrics.gateless(gangId(record.pod.metadata));
    this.#planLoop.gateSwitch.missed();
  }

  /** The PodGroup of a gang came, changed or went. */
  podGroupChanged(gang: string): void {
    this.#changed(this.#groups.find(gang));
    for (const other of this.#groups.naming(gang)) this.#changed(other);
  }

  /** Free room changed. */
  roomChanged(): void {
    this.#planLoop.soon();
  }

  /** A bind call was opened. */
  opened(hold: Hold): void {
    if (this.#decisions.answerPlaced(hold.record)) return;
    const { uid, node } = hold.pod;
    this.#world.cluster.occupy(hold.record, node);
    const group = this.#groups.find(hold.record.gang!);
    group?.refused.delete(uid);
    group?.failed.delete(uid);
    group?.quotas.arrived(uid);
    group?.reserve();
    this.#changed(group);
  }

  /** The scheduler dropped a call: it has died, or it does not wait any longer. */
  dropped(hold: Hold): void {
    if (!hold.isGranted) {
      this.#lose(hold, { cause: "aborted" }, told("the scheduler dropped the call"));
    }
  }

  /** `filter` refused a member. */
  refused(gang: string, refusal: Refusal & { uid: string }): void {
    const group = this.groupOf(gang);
    if (!group) return this.#earlyRefusals.add(refusal.uid, refusal);
    group.refused.set(refusal.uid, refusal);
    group.quotas.arrived(refusal.uid);
    this.#runSoon(group);
  }

  /** `filter` lets a member through: its bind call is next. Gives the nodes that it may take. */
  letThrough(member: { uid: string; gang: string }, nodes: readonly string[]): readonly string[] {
    const group = this.groupOf(member.gang);
    group?.quotas.letThrough(member.uid);
    const kind = this.#world.cluster.pods.get(member.uid)?.kind;
    if (group?.failedAt === undefined || kind === undefined) return nodes;
    return group.placement.choose({ uid: member.uid, kind }, nodes);
  }

  /** The gang that a member waits for because its own needs no more. */
  surplusUntil(member: { uid: string; gang: string }): string | undefined {
    const group = this.groupOf(member.gang);
    return group?.quotas.waitsFor(member, { ...group, holds: this.#world.holds });
  }

  /** Why a member's bind call is not held now: the relay is stopping, or its gang has been let go for a preemptor. */
  refusesBind(record: PodRecord): string | undefined {
    if (this.#isStopped) return told(stopping);
    if (!this.#world.cluster.pods.has(record.pod.metadata.uid)) return told("the pod was deleted");
    const group = this.groupOf(record.gang);
    if (!group?.yieldsTo || record.node || !this.#yields(group)) return undefined;
    const { namespace, name, uid } = record.pod.metadata;
    const by = group.yieldsTo.title;
    group.lost.push({ pod: { namespace, name, uid }, cause: "aborted", gang: record.gang, by });
    this.#changed(group);
    return toldLetGo(group, by);
  }

  /** Whether a preemptor still needs the room that a gang was let go for. */
  #yields({ yieldsTo, yieldsUntil }: GangGroup): boolean {
    const { cluster, holds } = this.#world;
    const { uid } = yieldsTo!;
    return Date.now() < yieldsUntil && !cluster.pods.get(uid)?.node && !holds.get(uid);
  }

  /** Lets the gangs of these members go, also where their calls are still on the way. */
  yield(uids: readonly string[], to: Preemptor): void {
    for (const uid of uids) {
      const group = this.groupOf(this.#world.cluster.pods.get(uid)?.gang);
      if (!group) continue;
      group.yieldsUntil = Date.now() + yieldMs;
      group.yieldsTo = to;
      const hold = this.#world.holds.get(uid);
      if (hold && !hold.isGranted) {
        this.#lose(hold, { cause: "aborted", by: to.title }, toldLetGo(group, to.title));
      }
    }
  }

  /** The scheduler beside this relay became the one that schedules, or is it no more: then nothing is asked or written. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.#planLoop.pause(!isLeading);
    if (isLeading) {
      for (const group of this.#groups) this.#changed(group);
      return;
    }
    this.#letAllGo(notLeading);
    for (const group of this.#groups) group.forgetAnswers();
  }

  #letAllGo(why: string): void {
    for (const hold of [...this.#world.holds]) {
      if (!hold.isGranted) this.#decisions.release(hold, told(why));
    }
  }

  /** Lets every call go that is not granted, and asks nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#planLoop.stop();
    clearTimeout(this.#runTimer);
    for (const group of this.#groups) clearTimeout(group.timer);
    this.#letAllGo(stopping);
  }

  #lose(hold: Hold, why: Pick<Loss, "cause" | "by">, error: string): void {
    if (!this.#world.holds.has(hold)) return;
    this.#decisions.release(hold, error);
    const group = this.groupOf(hold.record.gang);
    if (!group) return;
    group.weakened++;
    group.lost.push({ pod: hold.pod, gang: hold.record.gang, ...why });
    this.#changed(group);
  }

  #changed(group: GangGroup | undefined): void {
    this.#planLoop.soon();
    if (!group) return;
    group.plan = undefined;
    this.#runSoon(group);
  }

  /** Events of one burst are looked at together. */
  #runSoon(group: GangGroup): void {
    this.#changedGroups.add(group);
    this.#runTimer ??= setTimeout(() => {
      this.#runTimer = undefined;
      const groups = [...this.#changedGroups];
      this.#changedGroups.clear();
      for (const each of groups) void this.#run(each);
    }, 0);
  }

  /** One call after another for one group, until nothing is left to ask. */
  async #run(group: GangGroup): Promise<void> {
    if (group.isBusy || this.#isStopped || !this.#isLeading) return;
    group.isBusy = true;
    let snapshot: Snapshot | undefined;
    try {
      while (!this.#isStopped && this.#isLeading && this.#groups.has(group)) {
        if (group.isGone) {
          await this.#forget(group);
          break;
        }
        snapshot = this.#look(group);
        if (this.#unanswered.isLeftAlone(group, snapshot)) break;
        if (group.isForeign) {
          if (!group.isKnown) break;
          await this.#unknow(group);
          continue;
        }
        const due = [this.#decisions, this.#admissions].find((part) =>
          part.isDue(group, snapshot!)
        );
        if (!due) break;
        const other = await due.ask(group, snapshot);
        this.#unanswered.answered(group, snapshot);
        if (other !== undefined) this.#askAgain(this.#groups.byId(other));
      }
    } catch (error) {
      this.#notAnswered(group, error as Error);
      snapshot = this.#take(group);
    } finally {
      group.isBusy = false;
      if (snapshot) this.#arm(group, snapshot);
      this.#planLoop.answered(group);
      group.settled();
      this.#world.looked(group, snapshot);
    }
  }

  /** The facts, after all that they and the time alone call for. */
  #look(group: GangGroup): Snapshot {
    this.#admissions.wakeSurplus(group);
    this.#nominations.takeBack(group);
    let snapshot = this.#take(group);
    if (this.#decisions.renew(snapshot)) snapshot = this.#take(group);
    noticeStanding(group, snapshot);
    return snapshot;
  }

  #askAgain(group: GangGroup | undefined): void {
    if (!group) return;
    group.decision = undefined;
    void this.#run(group);
  }

  #take(group: GangGroup) {
    return group.take(this.#world.holds, { id: this.#world.relayId, epoch: ++this.#epoch });
  }

  async #forget(group: GangGroup): Promise<void> {
    this.#groups.delete(group);
    clearTimeout(group.timer);
    await this.#unknow(group);
  }

  /** The functions hear of a group no more; what they knew of it they forget. */
  async #unknow(group: GangGroup): Promise<void> {
    if (!group.isKnown) return;
    const lost = group.gangs.map((gang): Loss => {
      const { namespace, name } = gang.read().spec;
      return { pod: { namespace, name, uid: gang.id }, cause: "gone", gang: gang.id };
    });
    await this.#world.policy.unreserve({ ...this.#take(group).group, lost });
    group.forgetAnswers();
  }

  #notAnswered(group: GangGroup, error: Error): void {
    const letGo = this.#unanswered.failed(group, { error, specs: this.#take(group).specs });
    for (const hold of letGo === undefined ? [] : [...this.#world.holds]) {
      if (this.groupOf(hold.record.gang) === group && !hold.isGranted) {
        this.#decisions.release(hold, told(letGo!));
      }
    }
  }

  /** Wakes the group when something is due by time alone. */
  #arm(group: GangGroup, snapshot: Snapshot): void {
    clearTimeout(group.timer);
    if (this.#isStopped || !this.#isLeading || !this.#groups.has(group)) return;
    const held = [...snapshot.holds.values()].filter((hold) => !hold.isGranted);
    const heldDue = held.length > 0 && !group.leftAlone
      ? [
        notYet(this.#decisions.gatheredAt(snapshot), snapshot),
        group.askAgainAt,
        ...held.map((hold) => this.#decisions.renewAt(hold)),
      ]
      : [];
    const at = Math.min(
      ...heldDue,
      group.leftAlone ? Infinity : standingAt(group, snapshot),
      group.admission ? Infinity : notYet(group.gatheredAt, snapshot),
      this.#admissions.dueAt(group, snapshot),
      this.#gateConditions.dueAt(group),
      this.#nominations.dueAt(group),
    );
    if (at === Infinity) return;
    group.timer = setTimeout(() => {
      this.#admissions.retell(group);
      this.#gateConditions.tell(group);
      void this.#run(group);
    }, Math.max(10, at - Date.now()));
  }
}

/** A time that was still to come when the snapshot was taken; Infinity: what was due then has been done. */
function notYet(at: number, { takenAt }: Snapshot): number {
  return at > takenAt ? at : Infinity;
}
