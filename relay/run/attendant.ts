/**
 * Carries events of gang groups to the pure decisions, and performs what they return.
 *
 * @module
 */
import pLimit from "p-limit";
import type { Attended, Preemptor } from "../../shared/core/attend/attended.ts";
import { lastSaid } from "../../shared/core/attend/decision.ts";
import { EarlyRefusals } from "../../shared/core/attend/early_refusals.ts";
import type { Effect, EffectOf } from "../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../shared/core/attend/event.ts";
import { isPlannedAfter } from "../../shared/core/attend/plan_again.ts";
import type { Question } from "../../shared/core/attend/question.ts";
import type { Call, Snapshot } from "../../shared/core/attend/snapshot.ts";
import type { LossCause } from "../../shared/core/gang/facts.ts";
import { marked } from "../../shared/core/words/mark.ts";
import { writesOf, type WrittenEffect } from "../../shared/cluster/effect_writes.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { calmAfter } from "../../shared/cluster/calm.ts";
import { answerTo, whyUnanswered } from "./answer.ts";
import { callsByGroup, gangCame, GroupTable, type Move } from "../../shared/cluster/group_table.ts";
import { isOutdated } from "../../shared/client/kube_api.ts";
import { persistently } from "../../shared/client/patiently.ts";
import type { Hold } from "./holds.ts";
import { Evictor } from "./evictor.ts";
import { LookTimer } from "./look_timer.ts";
import { PlanLoop } from "./plan_loop.ts";
import { snapshotOf } from "../../shared/cluster/snapshot.ts";
import { times } from "../../shared/core/attend/times.ts";
import { untakenNodes } from "../../shared/cluster/untaken.ts";
import { Until } from "../../shared/client/until.ts";
import { outageOf } from "../../shared/cluster/waiting.ts";
import { inTrace } from "../../shared/client/trace_place.ts";
import type { Parts } from "./parts.ts";

const stopping = "the relay is stopping";
const notLeading = "this scheduler does not lead any more";
/** Of conditions so many are written at a time, because they are in no hurry. */
const conditionsAtOnce = 4;

/** Attends to all gang groups. */
export class Attendant {
  readonly groups: GroupTable;
  readonly planLoop: PlanLoop;
  /** Of members that no watch has shown, and whose group is not known or known no more. */
  readonly earlyRefusals = new EarlyRefusals();
  /** Whoever waits until pods and groups are otherwise. */
  readonly until = new Until();
  readonly #parts: Parts;
  readonly #looks = new LookTimer((group) => this.#look(group));
  readonly #evictor: Evictor;
  readonly #conditions = pLimit(conditionsAtOnce);
  #epoch = 0;
  /** How often the index of gangs was lost. */
  #losses = 0;
  #isStopped = false;
  #isLeading = true;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#evictor = new Evictor(parts, ({ gang }) => {
      this.planLoop.soon();
      this.advance(this.groups.of(gang), { is: "declared" });
    });
    this.groups = new GroupTable(parts.cluster, (move) => this.#moved(move));
    this.planLoop = new PlanLoop(parts, {
      groups: this.groups,
      planned: (group, planned, now) => this.advance(group, { is: "planned", ...planned }, now),
      ungating: (group, is) => this.advance(group, { is }),
    });
  }

  /** Whether the scheduler beside this relay is the one that schedules. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Why the functions can not be asked, where a gang group waits for their answer; undefined: none does. */
  get outage(): string | undefined {
    return outageOf(this.groups);
  }

  /** Why no call is held any more; undefined: calls are. */
  get ending(): string | undefined {
    return this.#isStopped ? stopping : undefined;
  }

  /** The scheduler beside this relay became the one that schedules, or is it no more: then nothing is asked or written. */
  lead(isLeading: boolean): void {
    this.#isLeading = isLeading;
    this.planLoop.pause(!isLeading);
    this.#evictor.pause(!isLeading);
    if (!isLeading) this.#letAllGo(notLeading);
    for (const group of this.groups) {
      this.#looks.clear(group);
      this.advance(group, { is: isLeading ? "declared" : "forget answers" });
    }
  }

  /** The index of gangs was lost. What this relay has told of is believed to be there; of another one it is told again. */
  tellAgain(): void {
    this.#losses++;
    let at = Date.now();
    for (const group of this.groups) {
      this.advance(group, { is: "unlisted", at: at += times.tellAgain });
    }
  }

  #letAllGo(why: string): void {
    for (const hold of [...this.#parts.holds]) {
      if (!hold.call.isGranted) this.#release(hold, why);
    }
  }

  /** Lets every call go that is not granted, and asks nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.planLoop.stop();
    this.#evictor.stop();
    this.#looks.stop();
    this.#letAllGo(stopping);
    this.until.changed();
  }

  /** Answers a held call with an error: the scheduler forgets the pod's place. */
  #release(hold: Hold, sentence: string): void {
    this.#parts.holds.close(hold, marked(sentence));
  }

  /** A call is lost: its member is not held any more. */
  lose(hold: Hold, cause: LossCause, sentence: string): void {
    if (!this.#parts.holds.has(hold)) return;
    this.#release(hold, sentence);
    const { pod, gang } = hold.call;
    const loss = { pod, cause, gang };
    this.advance(this.groups.of(gang), { is: "call lost", loss });
  }

  #moved(move: Move): void {
    const { gang, from, to } = move;
    this.advance(to, gangCame(move));
    if (!this.groups.has(from)) return this.#looks.clear(from);
    this.advance(from, { is: "gang left", gang: gang.id, uids: [...gang.members.keys()] });
  }

  /** Something happened to a group; nothing follows where there is none. */
  advance(group: GangGroup | undefined, event: GroupEvent, now: number = Date.now()): void {
    if (!group) return;
    const { attended: before } = group;
    const { attended, effects } = this.#parts.decisions.advance(before, event, now);
    if (isPlannedAfter(event, { before, after: attended })) this.planLoop.soon();
    this.set(group, attended);
    for (const effect of effects) {
      const calmMs = effect.do === "look" ? calmAfter(event, group) : undefined;
      if (calmMs === undefined) this.#perform(group, effect);
      else if (!this.#isStopped) this.#looks.calmly(group, calmMs);
    }
  }

  /** What is known of a group is another than before. */
  set(group: GangGroup, attended: Attended): void {
    group.attended = attended;
    this.until.changed();
  }

  #perform(group: GangGroup, effect: Effect): void {
    const { cluster, metrics } = this.#parts;
    switch (effect.do) {
      case "ask":
        return void this.#ask(group, effect.question);
      case "release":
        return this.#withHold(effect.call, (hold) => this.#release(hold, effect.sentence));
      case "bind":
        return this.#withHold(effect.call, (hold) => void this.#bind(hold));
      case "poke":
        metrics.pokes.inc();
        return this.#write(group, effect);
      case "park":
      case "nominate":
      case "unnominate":
      case "say":
        return this.#write(group, effect);
      case "evict":
        return this.#evict(effect);
      case "tell":
        for (const uid of effect.uids) {
          const pod = cluster.pods.get(uid)?.pod;
          if (pod) this.#parts.say(pod, effect);
        }
        return;
      case "count round": {
        const { verdict, reason } = effect.decision;
        return metrics.roundSeconds.observe({ verdict, reason }, effect.heldMs / 1000);
      }
      case "count start":
        return metrics.startSeconds.observe(effect.lateMs / 1000);
      case "count broken promise":
        return metrics.brokenPromises.inc({ by: effect.by });
      case "ask about":
        return this.advance(this.groups.byId(effect.group), { is: "asked about" });
      case "look":
        return this.#looks.soon(group);
      case "wake":
        if (!this.#isStopped && this.#isLeading) this.#looks.wakeAt(group, effect.at);
        else this.#looks.clear(group);
        return;
      case "forget":
        return this.#forget(group);
    }
  }

  /** The call may have been answered since. */
  #withHold({ id, pod }: Call, perform: (hold: Hold) => void): void {
    const hold = this.#parts.holds.get(pod.uid);
    if (hold?.call.id === id && !hold.call.isGranted) perform(hold);
  }

  #write(group: GangGroup, effect: WrittenEffect): void {
    const { cluster, metrics, write } = this.#parts;
    for (const { what, writes } of writesOf(effect, { group, cluster, now: Date.now() })) {
      const run = async () => {
        for (const due of this.#isLeading ? writes() : []) await write(due);
      };
      // What has changed is looked at anew, and what is gone needs nothing.
      const failed = (error: Error) => isOutdated(error) || metrics.writeFailed(what, error);
      // What a condition says is seen, and said again; whether anything else was written is not.
      const written = effect.do === "say" ? this.#conditions(run) : persistently(run, failed);
      written.catch(failed);
    }
  }

  #evict({ uids, by, group }: EffectOf<"evict">): void {
    if (!this.#parts.evicts) return;
    const held = uids.filter((uid) => this.#parts.holds.get(uid));
    if (held.length > 0) this.yield(held, { uid: group ?? "", title: by });
    this.#evictor.evict(uids, { group, by });
    if (group !== undefined) this.planLoop.soon();
  }

  /** Lets the gangs of these members go, also where their calls are still on the way. */
  yield(uids: readonly string[], to: Preemptor): void {
    const { pods } = this.#parts.cluster;
    for (const [group, calls] of callsByGroup(uids, { pods, groups: this.groups })) {
      this.advance(group, { is: "let go", calls, to, title: group.title });
    }
  }

  #look(group: GangGroup): void {
    if (this.#isStopped || !this.#isLeading || !this.groups.has(group)) return;
    const snapshot = this.#take(group);
    this.#looks.rest(group);
    this.advance(group, { is: "look", snapshot, longestHold: this.#parts.longestHoldMs });
    if (group.attended.asking) return;
    this.planLoop.answered(group);
    this.#parts.looked(group, snapshot);
  }

  #take(group: GangGroup): Snapshot {
    const { cluster, relayId } = this.#parts;
    return snapshotOf(group, {
      relay: { id: `${relayId}/${this.#losses}`, epoch: ++this.#epoch },
      cluster,
      untaken: (group, kind) =>
        untakenNodes(group, kind, { cluster, spare: this.planLoop.spare, now: Date.now() }),
    });
  }

  async #ask(group: GangGroup, question: Question): Promise<void> {
    const { asking } = group.attended;
    const isAwaited = () => group.attended.asking === asking;
    try {
      const answer = await answerTo(question, group, this.#parts);
      if (!isAwaited()) return;
      const isNews = lastSaid(group.attended, question) !== answer.message;
      this.#parts.metrics.decided(group.id, { stage: question.stage, answer, isNews });
      if ("matchPolicy" in answer && answer.matchPolicy) {
        this.planLoop.countBy(answer.matchPolicy);
      }
      this.advance(group, { is: "answered", answer, snapshot: this.#take(group) });
    } catch (error) {
      if (isAwaited()) this.#notAnswered(group, error as Error);
    }
    this.planLoop.answered(group);
  }

  #notAnswered(group: GangGroup, error: Error): void {
    const why = whyUnanswered(error, group, this.#parts);
    const snapshot = this.#take(group);
    this.advance(group, { is: "unanswered", why, snapshot });
    this.#parts.looked(group, snapshot);
  }

  async #bind(hold: Hold): Promise<void> {
    const { bind, cluster, holds, metrics } = this.#parts;
    const { pod, gang, openedAt } = hold.call;
    holds.grant(hold);
    try {
      await inTrace(hold.trace, () => bind(pod));
    } catch (error) {
      const { message } = error as Error;
      return this.lose(hold, "bind-failed", `binding to ${pod.node} failed: ${message}`);
    }
    cluster.podBound(hold.record, pod.node);
    metrics.holdSeconds.observe((Date.now() - openedAt) / 1000);
    holds.close(hold);
    holds.answerPlaced(hold.record);
    const isWhole = cluster.gangs.get(gang)?.lacksMembers === false;
    this.advance(this.groups.of(gang), { is: "bound", gang, isWhole });
  }

  #forget(group: GangGroup): void {
    for (const [uid, refusal] of group.attended.refused) this.earlyRefusals.add(uid, refusal);
    this.groups.delete(group);
    this.#looks.clear(group);
    this.#parts.looked(group, undefined);
  }
}
