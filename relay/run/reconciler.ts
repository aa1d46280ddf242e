/**
 * Tells what happens to pods, PodGroups and calls of the scheduler as events of gang groups.
 *
 * @module
 */
import type { EventOf } from "../../shared/core/attend/event.ts";
import { turnedAway } from "../../shared/cluster/arrivals.ts";
import { type Filtered, filterMember, type Trial } from "../../shared/cluster/filtering.ts";
import { moverOf } from "../../shared/cluster/offered_member.ts";
import { gangId, type Group } from "../../shared/core/gang/facts.ts";
import type { RunTime } from "../../shared/core/gang/run_time.ts";
import { marked } from "../../shared/core/words/mark.ts";
import type {
  ExtenderPreemptionArgs,
  ExtenderPreemptionResult,
} from "../../shared/kubernetes/extender.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { Attendant } from "./attendant.ts";
import type { PodChange } from "../../shared/cluster/cluster.ts";
import { cameUngated, isNews, podEvents } from "../../shared/cluster/pod_events.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { learn } from "../../shared/cluster/gang_times.ts";
import type { Hold } from "./holds.ts";
import { gangOf, isGated, isLeaving, type PodRecord } from "../../shared/cluster/pod_record.ts";
import { isJudgedNow } from "../../shared/cluster/judged.ts";
import { patienceWith } from "../../shared/cluster/patience.ts";
import { showsWithin } from "../../shared/cluster/preemption_candidate.ts";
import { preemptionBy } from "../../shared/cluster/preemption.ts";
import type { Parts } from "./parts.ts";

/** The loop of the relay. */
export class Reconciler {
  readonly #parts: Parts;
  /** Performs what is decided. */
  readonly attendant: Attendant;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.attendant = new Attendant(parts);
  }

  /** The group of a gang, by its `namespace/name`; undefined for a gang not seen yet. */
  groupOf(gang: string | undefined): GangGroup | undefined {
    return this.attendant.groups.of(gang);
  }

  /** Resolves when the verdict on a gang's group is of the facts as they are now, or none is to be had within this time. */
  async whenJudged(gang: string, withinMs: number): Promise<void> {
    const group = this.groupOf(gang);
    if (!group || this.attendant.outage !== undefined) return;
    await this.attendant.until.so(() => isJudgedNow(group, this.#parts.cluster), withinMs);
  }

  /** The gang groups, for whoever counts them; none while another relay acts. */
  get groups(): readonly GangGroup[] {
    return this.attendant.isLeading ? [...this.attendant.groups] : [];
  }

  /** Something happened to a pod. */
  podChanged(change: PodChange): void {
    const { gang } = change.record;
    const group = gang === undefined ? undefined : this.attendant.groups.find(gang);
    if (group) this.#memberChanged(group, change);
    else if (isGated(change.record)) this.attendant.planLoop.soon();
    this.attendant.until.changed();
  }

  #memberChanged(group: GangGroup, change: PodChange): void {
    const { record, isGone } = change;
    const { uid } = record.pod.metadata;
    const gang = record.gang!;
    const { cluster: { gangs, room }, evicts, holds } = this.#parts;
    const earlyRefusal = change.before ? undefined : this.attendant.earlyRefusals.take(uid);
    const situation = { gang: gangs.get(gang), gangs, group, room, earlyRefusal, evicts };
    for (const event of podEvents(change, situation, Date.now())) {
      this.attendant.advance(group, event);
    }
    const hold = holds.get(uid);
    if (isGone || isLeaving(record)) {
      if (hold && !hold.call.isGranted) {
        this.attendant.lose(hold, "deleted", "the pod was deleted");
      }
    } else holds.answerPlaced(record);
    if (cameUngated(change)) this.#noticeGateless(record);
    if (isNews(change)) this.#declared(this.attendant.groups.naming(gang));
  }

  #declared(groups: readonly (GangGroup | undefined)[]): void {
    for (const group of groups) this.attendant.advance(group, { is: "declared" });
  }

  #noticeGateless(record: PodRecord): void {
    const { gateSwitch } = this.attendant.planLoop;
    if (!gateSwitch.isOn) return;
    if (!this.#parts.cluster.isOptIn) this.#parts.metrics.gateless(gangId(record.pod.metadata));
    gateSwitch.happened({ is: "missed" });
  }

  /** A pod as soon as the watch has shown it; undefined: it has not within this time. */
  async whenSeen(uid: string, withinMs: number): Promise<PodRecord | undefined> {
    await this.attendant.until.so(() => this.#parts.cluster.pods.has(uid), withinMs);
    return this.#parts.cluster.pods.get(uid);
  }

  /** Resolves when a pod that was left to the preemptor shows that it leaves, or has had its time for that. */
  async whenLeft(uid: string, preemptor: string): Promise<void> {
    const { pods } = this.#parts.cluster;
    const left = () => showsWithin(pods.get(uid), { preemptor, now: Date.now() });
    await this.attendant.until.over(left);
  }

  /** The PodGroup of a gang came, changed or went. */
  podGroupChanged(gang: string): void {
    this.#declared([this.attendant.groups.find(gang), ...this.attendant.groups.naming(gang)]);
  }

  /** The functions have told how long gangs like those of a group ran. */
  learnt({ gangs }: Group, runTimes: Readonly<Record<string, RunTime>>): void {
    learn(gangs, { cluster: this.#parts.cluster, runTimes, now: Date.now() });
    this.attendant.planLoop.soon();
  }

  /** A bind call was opened. */
  opened(hold: Hold): void {
    if (this.#parts.holds.answerPlaced(hold.record)) return;
    const { gang, pod: { uid, node } } = hold.call;
    const group = this.attendant.groups.find(gang);
    if (group) this.attendant.planLoop.spare.arrived(moverOf(hold.record, group), node);
    this.attendant.advance(group, { is: "call opened", uid });
  }

  /** The scheduler dropped a call: it has died, or it does not wait any longer. */
  dropped(hold: Hold): void {
    if (!hold.call.isGranted) {
      this.attendant.lose(hold, "aborted", "the scheduler dropped the call");
    }
  }

  /** What `filter` answers about a member. */
  async filter(pod: Pod, trial: Trial): Promise<Pick<Filtered, "nodes" | "sentence">> {
    const tried = { uid: pod.metadata.uid, gang: trial.gang, calledAt: Date.now() };
    const { until, groups } = this.attendant;
    await until.over(() =>
      this.attendant.ending ? 0 : patienceWith(tried, { ...this.#parts, groups, now: Date.now() })
    );
    const group = this.groupOf(trial.gang);
    const known = { ...this.#parts, group, spare: this.attendant.planLoop.spare, now: Date.now() };
    const { attended, event, ...answer } = filterMember(pod, trial, known);
    if (group && attended) this.attendant.set(group, attended);
    if (event) this.#refused(group, event);
    return answer;
  }

  /** On which nodes the scheduler may evict whom for a pod; held ones that are in its way are let go. */
  preempt(args: ExtenderPreemptionArgs): ExtenderPreemptionResult {
    const group = this.groupOf(gangOf(args.Pod));
    const known = { ...this.#parts, group, now: Date.now() };
    const { result, letGo, to, event } = preemptionBy(args, known);
    if (event) this.#refused(group, event);
    this.attendant.yield(letGo, to);
    return result;
  }

  #refused(group: GangGroup | undefined, event: EventOf<"refused">): void {
    if (group) this.attendant.advance(group, event);
    else this.attendant.earlyRefusals.add(event.uid, event.refusal);
  }

  /** Why a member's bind call is not held now; undefined: it is. */
  refusesBind(record: PodRecord, node: string): string | undefined {
    const { ending, groups } = this.attendant;
    if (ending !== undefined) return marked(ending);
    const { cluster } = this.#parts;
    const away = turnedAway(record, node, { groups, cluster, now: Date.now() });
    if (away?.event) this.attendant.advance(this.groupOf(record.gang), away.event);
    return away?.sentence;
  }
}
