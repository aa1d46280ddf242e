/**
 * A cluster, its scheduler and the functions, as small as they can be, around the decisions of the relay: no process, no
 * timer and no Kubernetes, so that a history takes a millisecond.
 *
 * @module
 */
import { advance } from "../../../shared/core/attend/advance.ts";
import { attendedSince } from "../../../shared/core/attend/attended.ts";
import type { Effect } from "../../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import { offer } from "../../../shared/core/attend/offer.ts";
import type { Question } from "../../../shared/core/attend/question.ts";
import { refusalOf } from "../../../shared/core/attend/refusal.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import { type GangSpec, groupId } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import { type StageEvent, step } from "../../../shared/core/stage/step.ts";
import {
  type GangGroup,
  type Gangs,
  inOrder,
  type Member,
  placedIn,
  pureGang,
  pureSnapshot,
  roomOf,
} from "./pure_facts.ts";
import { Timeline } from "./timeline.ts";

/** Of the scheduler: from the first failure of a pod on, twice as much each time. */
const backoff = { least: 1000, most: 3000 };
const why = { reason: "FunctionsUnreachable", message: "the functions do not answer" } as const;

/** Random numbers below 1, the same in each run of a history. */
export type Chance = () => number;

/** The world of one history. */
export class PureWorld {
  readonly timeline = new Timeline(1_000_000);
  readonly nodes = new Map<string, number>();
  readonly members = new Map<string, Member>();
  readonly specs = new Map<string, GangSpec>();
  readonly groups = new Map<string, GangGroup>();
  /** The functions do not answer until then. */
  outageUntil = 0;
  /** So long calls of the functions take, each way, in ms. */
  slownessMs = 0;
  /** A rule that does not hold. */
  violation: string | undefined;
  readonly #settings: Settings;
  readonly #longestHold: number;
  readonly #chance: Chance;
  #epoch = 0;
  #calls = 0;
  #isPlanned = true;

  constructor(
    { settings, longestHold }: { settings: Settings; longestHold: number },
    chance: Chance,
  ) {
    this.#settings = settings;
    this.#longestHold = longestHold;
    this.#chance = chance;
  }

  /** Declares a gang; of several in one group each names all. */
  declare(spec: GangSpec): void {
    this.specs.set(idOf(spec), spec);
  }

  /** Creates a member. */
  create(gang: string, { name, gpus }: { name: string; gpus: number }): void {
    const [namespace] = gang.split("/") as [string];
    const pod = { namespace, name, uid: name };
    const member = { pod, gang, gpus, attempts: 0, isAsleep: false, readyAt: this.timeline.now };
    this.members.set(name, member);
    this.#happened(gang, { is: "member came", uid: name });
    this.#tryAt(member);
  }

  /** Deletes a member. */
  delete(uid: string): void {
    const member = this.members.get(uid);
    if (!member) return;
    this.members.delete(uid);
    const { gang, node, call, pod } = member;
    if (node || call) {
      this.#happened(gang, { is: "place lost", uid, gang, isTooFew: this.#isShort(gang) });
    }
    this.#happened(gang, { is: "member left", uid });
    if (call) this.#happened(gang, { is: "call lost", loss: { pod, cause: "deleted", gang } });
    this.#roomChanged();
  }

  /** The scheduler starts anew: its calls break. */
  restartScheduler(): void {
    for (const member of this.members.values()) {
      const { call, pod, gang } = member;
      if (call && !call.isGranted) {
        delete member.call;
        this.#happened(gang, { is: "call lost", loss: { pod, cause: "aborted", gang } });
      }
      if (member.node || member.call) continue;
      Object.assign(member, { isAsleep: false, attempts: 0, readyAt: this.timeline.now + 10 });
      this.#tryAt(member);
    }
    this.#roomChanged();
  }

  /** The store is emptied. */
  wipe(): void {
    for (const group of this.groups.values()) group.stored = emptyState;
  }

  addNode(name: string, gpus: number): void {
    this.nodes.set(name, gpus);
    this.#roomChanged();
  }

  /** Members of a gang with a node. */
  bound(gang: string): number {
    return this.#membersOf(gang).filter(({ node }) => node).length;
  }

  /** What is free on each node for whoever is neither bound nor held. */
  free(): Map<string, number> {
    const free = new Map(this.nodes);
    for (const { node, call, gpus } of this.members.values()) {
      const at = node ?? call?.pod.node;
      if (at !== undefined) free.set(at, (free.get(at) ?? 0) - gpus);
    }
    return free;
  }

  #snapshotOf(group: GangGroup): Snapshot {
    return pureSnapshot(group, this.#gangs, ++this.#epoch);
  }

  get #gangs(): Gangs {
    return { specs: this.specs, membersOf: (gang) => this.#membersOf(gang) };
  }

  #membersOf(gang: string): Member[] {
    return [...this.members.values()].filter((member) => member.gang === gang);
  }

  #isShort(gang: string): boolean {
    return placedIn(this.#membersOf(gang)) < this.specs.get(gang)!.minMember;
  }

  #groupOf(gang: string): GangGroup {
    const id = groupId(this.specs.get(gang)!);
    let group = this.groups.get(id);
    if (!group) {
      const attended = attendedSince(id, this.timeline.now);
      group = { attended, gangs: [], stored: emptyState, isLooked: false, wakes: 0 };
      this.groups.set(id, group);
    }
    if (!group.gangs.includes(gang)) group.gangs.push(gang);
    return group;
  }

  #happened(gang: string, event: GroupEvent): void {
    this.#advance(this.#groupOf(gang), event);
    this.#planSoon();
  }

  #roomChanged(): void {
    for (const member of this.members.values()) if (member.failure) this.#wake(member, 1);
    this.#planSoon();
  }

  #advance(group: GangGroup, event: GroupEvent): void {
    const { attended, effects } = advance(group.attended, event, this.timeline.now);
    group.attended = attended;
    for (const effect of effects) this.#perform(group, effect);
  }

  #perform(group: GangGroup, effect: Effect): void {
    const { timeline } = this;
    switch (effect.do) {
      case "ask":
        return this.#ask(group, effect.question);
      case "release": {
        const member = this.#memberOf(effect.call);
        if (!member) return;
        delete member.call;
        this.#backOff(member);
        return this.#roomChanged();
      }
      case "bind":
        return this.#bind(effect.call);
      case "poke": {
        const member = this.members.get(effect.pod.name);
        return member && this.#wake(member, 2);
      }
      case "look":
        if (group.isLooked) return;
        group.isLooked = true;
        return timeline.after(0, () => this.#look(group));
      case "wake": {
        const wake = ++group.wakes;
        return timeline.at(Math.max(effect.at, timeline.now + 10), () => {
          if (group.wakes === wake) this.#look(group);
        });
      }
      case "forget":
        this.groups.delete(group.attended.id);
    }
  }

  #look(group: GangGroup): void {
    group.isLooked = false;
    if (this.groups.get(group.attended.id) !== group) return;
    group.wakes++;
    this.#advance(group, {
      is: "look",
      snapshot: this.#snapshotOf(group),
      longestHold: this.#longestHold,
    });
  }

  #memberOf({ id, pod }: Call): Member | undefined {
    const member = this.members.get(pod.uid);
    return member?.call?.id === id && !member.call.isGranted ? member : undefined;
  }

  #ask(group: GangGroup, question: Question): void {
    const { timeline } = this;
    const travel = () => 1 + Math.floor(this.#chance() * (20 + this.slownessMs));
    timeline.after(travel(), () => {
      if (timeline.now < this.outageUntil) {
        return timeline.after(travel(), () => {
          this.#advance(group, { is: "unanswered", why, snapshot: this.#snapshotOf(group) });
        });
      }
      const { stage, request } = question;
      const event = { ...request, stage, group: request, settings: this.#settings } as StageEvent;
      const { state, outcome } = step(group.stored, event, timeline.now);
      group.stored = state;
      timeline.after(travel(), () => {
        this.#advance(group, {
          is: "answered",
          answer: outcome,
          snapshot: this.#snapshotOf(group),
        });
        this.#planSoon();
      });
    });
  }

  #bind(call: Call): void {
    const member = this.#memberOf(call);
    if (!member) return;
    if (this.bound(member.gang) === 0 && this.#isShort(member.gang)) {
      this.violation ??= `a member of ${member.gang} is bound before its quorum is there`;
    }
    member.call = { ...call, isGranted: true };
    this.timeline.after(1 + Math.floor(this.#chance() * 10), () => {
      if (this.members.get(call.pod.uid) !== member || member.call?.id !== call.id) return;
      delete member.call;
      member.node = call.pod.node;
      const { gang } = member;
      this.#happened(gang, { is: "bound", gang, isWhole: !this.#isShort(gang) });
    });
  }

  #planSoon(): void {
    if (!this.#isPlanned) return;
    this.#isPlanned = false;
    this.timeline.after(5, () => this.#plan());
  }

  #plan(): void {
    this.#isPlanned = true;
    const waiting = [...this.groups.values()].filter(({ gangs }) =>
      gangs.some((gang) => this.#membersOf(gang).some(({ node, call }) => !node && !call))
    );
    const world = {
      free: roomOf(this.free()),
      capacity: () => roomOf(this.nodes),
      nominated: [],
      takenBelow: () => [],
      waiting: inOrder(waiting, this.#gangs, this.#settings).map(({ attended, gangs }) => ({
        id: attended.id,
        priority: 0,
        gangs: () => gangs.map((gang) => pureGang(gang, this.#gangs)),
        isNeverWhole: false,
        plan: attended.plan,
        shortSince: attended.shortSince,
        reservedUntil: attended.reservedUntil,
      })),
      // A gang that waits behind a protected one does not bind in the end, although it fits.
      backfillMs: Infinity,
      settings: this.#settings,
    };
    const { byGroup } = plan(world, this.timeline.now);
    const waits = (uid: string) => {
      const member = this.members.get(uid);
      return member !== undefined && !member.node && !member.call;
    };
    for (const group of waiting) {
      this.#advance(group, { is: "planned", plan: byGroup.get(group.attended.id)!, waits });
    }
  }

  /** The scheduler tries a member when its back-off is over. */
  #tryAt(member: Member): void {
    this.timeline.at(member.readyAt + Math.floor(this.#chance() * 5), () => this.#try(member));
  }

  #wake(member: Member, ms: number): void {
    if (!member.isAsleep || member.node || member.call) return;
    member.isAsleep = false;
    this.timeline.after(ms, () => this.#tryAt(member));
  }

  #backOff(member: Member): void {
    const ms = Math.min(backoff.most, backoff.least * 2 ** member.attempts++);
    member.readyAt = this.timeline.now + ms;
    this.#tryAt(member);
  }

  #try(member: Member): void {
    const { pod, gang } = member;
    const isWaiting = this.members.get(pod.uid) === member && !member.node && !member.call;
    if (!isWaiting || member.isAsleep || this.timeline.now < member.readyAt) return;
    const group = this.#groupOf(gang);
    const roomy = [...this.free()].filter(([, gpus]) => gpus >= member.gpus).map(([node]) => node);
    if (roomy.length === 0) return this.#unschedulable(member, "no node has room");
    const placed: Snapshot["placed"] = (id, comes) => placedIn(this.#membersOf(id), comes);
    const { now } = this.timeline;
    const refusal = refusalOf(group.attended, { uid: pod.uid, gang, placed }, now);
    if (refusal) {
      const { reason, message: sentence } = refusal;
      this.#sleep(member);
      delete member.failure;
      const told = { pod, gang, reason, sentence, at: now };
      return this.#advance(group, { is: "refused", uid: pod.uid, refusal: told });
    }
    const offered = offer(
      group.attended,
      { uid: pod.uid, kind: String(member.gpus), nodes: roomy },
      now,
    );
    group.attended = offered.attended;
    const node = offered.nodes[Math.floor(this.#chance() * offered.nodes.length)];
    if (node === undefined) return this.#unschedulable(member, "the planned node has no room");
    member.attempts = 0;
    delete member.failure;
    member.call = {
      id: ++this.#calls,
      pod: { ...pod, node },
      gang,
      openedAt: now,
      isGranted: false,
    };
    this.#happened(gang, { is: "call opened", uid: pod.uid });
  }

  #unschedulable(member: Member, message: string): void {
    const { pod, gang, failure: before } = member;
    member.failure = message;
    this.#sleep(member);
    if (before === message) return;
    const failure = { uid: pod.uid, name: pod.name, message, gang };
    this.#happened(gang, { is: "member changed", failure, failedBefore: before !== undefined });
  }

  #sleep(member: Member): void {
    member.isAsleep = true;
    member.readyAt = this.timeline.now +
      Math.min(backoff.most, backoff.least * 2 ** member.attempts++);
  }
}

function idOf({ namespace, name }: GangSpec): string {
  return `${namespace}/${name}`;
}
