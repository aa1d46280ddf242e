/**
 * A cluster, its scheduler and the functions, as small as they can be, around the decisions of the relay: no process, no
 * timer and no Kubernetes, so that a history takes a millisecond.
 *
 * @module
 */
import { advance } from "../../../shared/core/attend/advance.ts";
import { whyElsewhere } from "../../../shared/core/attend/arrival.ts";
import { attendedSince } from "../../../shared/core/attend/attended.ts";
import type { Effect } from "../../../shared/core/attend/effect.ts";
import type { GroupEvent } from "../../../shared/core/attend/event.ts";
import { offer } from "../../../shared/core/attend/offer.ts";
import { isPlannedAfter } from "../../../shared/core/attend/plan_again.ts";
import type { Question } from "../../../shared/core/attend/question.ts";
import { refusalOf } from "../../../shared/core/attend/refusal.ts";
import { nextForgottenAt, offeredAgain } from "../../../shared/core/attend/refused_nodes.ts";
import { type Mover, Spare } from "../../../shared/core/attend/spare.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { GangSpec } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import {
  boundTooSoon,
  type GangGroup,
  inOrder,
  moverOf,
  type Needs,
  plannedWorld,
  pureSnapshot,
  splitOf,
} from "./pure_facts.ts";
import { PureFunctions } from "./pure_functions.ts";
import {
  alikeIn,
  assumedNodeOf,
  isWaiting,
  type Member,
  newMember,
  nodeOf,
  PureGang,
  type Whereabouts,
} from "./pure_gang.ts";
import { messageOf, PurePlugins } from "./pure_plugins.ts";
import { candidateOf, PureRoom } from "./pure_room.ts";
import { Timeline } from "./timeline.ts";

/** Of the scheduler: from the first failure of a pod on, twice as much each time, in ms. */
const backoff = { least: 1000, most: 3000 };

const why = { reason: "FunctionsUnreachable", message: "the functions do not answer" } as const;

/** The world of one history. */
export class PureWorld {
  readonly timeline = new Timeline(1_000_000);
  readonly functions: PureFunctions;
  readonly room = new PureRoom();
  readonly members = new Map<string, Member>();
  /** Those that were declared, by `namespace/name`. */
  readonly gangs = new Map<string, PureGang>();
  readonly groups = new Map<string, GangGroup>();
  needs: Needs;
  /** Gangs of which nothing is said of where their members would rather run. */
  readonly indifferent = new Set<string>();
  /** So long at most it takes from `filter` to the call of bind, in ms; undefined: no time at all. */
  bindMs: number | undefined;
  readonly settings: Settings;
  /** Events of gang groups so far. */
  events = 0;
  /** A rule that does not hold. */
  violation: string | undefined;
  readonly #longestHold: number;
  /** Random numbers below 1, the same in each run of a history. */
  readonly #chance: () => number;
  readonly #spare = new Spare();
  readonly #plugins = new PurePlugins();
  readonly #refusedFor = (group: GangGroup) => this.#plugins.knownTo(group, this.timeline.now);
  #epoch = 0;
  #calls = 0;
  #isPlanned = true;

  constructor(
    { settings, longestHold }: { settings: Settings; longestHold: number },
    chance: () => number,
  ) {
    this.settings = settings;
    this.#longestHold = longestHold;
    this.#chance = chance;
    this.functions = new PureFunctions({ timeline: this.timeline, settings, chance });
  }

  /** Declares a gang; of several in one group each names all. */
  declare(spec: GangSpec): void {
    const gang = new PureGang(spec);
    this.gangs.set(gang.id, gang);
  }

  /** Creates a member. */
  create(id: string, { name, gpus }: { name: string; gpus: number }): void {
    const gang = this.gangs.get(id)!;
    const member = newMember(gang, { name, gpus, now: this.timeline.now });
    this.members.set(name, member);
    gang.add(member);
    this.#happened(gang, { is: "member came", uid: name });
    this.#tryAt(member);
  }

  delete(uid: string): void {
    const member = this.members.get(uid);
    if (!member) return;
    const { gang, node, call, pod } = member;
    this.members.delete(uid);
    this.#put(member, {});
    gang.remove(member);
    if (node || call) {
      this.#happened(gang, { is: "place lost", uid, gang: gang.id, isTooFew: gang.isShort });
    }
    this.#happened(gang, { is: "member left", uid, isIncomplete: gang.isIncomplete });
    if (call) {
      this.#happened(gang, { is: "call lost", loss: { pod, cause: "deleted", gang: gang.id } });
    }
    this.#roomChanged();
  }

  /** The scheduler starts anew: its calls break. */
  restartScheduler(): void {
    for (const member of this.members.values()) {
      const { call, pod, gang } = member;
      if (call && !call.isGranted) {
        this.#put(member, {});
        this.#happened(gang, { is: "call lost", loss: { pod, cause: "aborted", gang: gang.id } });
      }
      if (!isWaiting(member)) continue;
      this.#put(member, {});
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
    this.room.addNode(name, gpus);
    this.#roomChanged();
  }

  /** The scheduler's own plugins have other reasons than before: it tries everybody again. */
  pluginsChanged(change: (plugins: PurePlugins) => void): void {
    change(this.#plugins);
    for (const member of this.members.values()) this.#wake(member, 2);
    this.#roomChanged();
  }

  #snapshotOf(group: GangGroup): Snapshot {
    const seen = { room: this.room, spare: this.#spare, refusedFor: this.#refusedFor };
    return pureSnapshot(group, { epoch: ++this.#epoch, needs: this.needs, ...seen });
  }

  #groupOf(gang: PureGang): GangGroup {
    const id = gang.group;
    let group = this.groups.get(id);
    if (!group) {
      const attended = attendedSince(id, this.timeline.now);
      group = { attended, gangs: [], stored: emptyState, isLooked: false, wakes: 0 };
      this.groups.set(id, group);
    }
    if (!group.gangs.includes(gang)) group.gangs.push(gang);
    return group;
  }

  #happened(gang: PureGang, event: GroupEvent): void {
    this.#advance(this.#groupOf(gang), event);
  }

  #roomChanged(): void {
    for (const member of this.members.values()) if (member.failure) this.#wake(member, 1);
    this.#planSoon();
  }

  #advance(group: GangGroup, event: GroupEvent): void {
    this.events++;
    const { attended: before } = group;
    const { attended, effects } = advance(before, event, this.timeline.now);
    if (isPlannedAfter(event, { before, after: attended })) this.#planSoon();
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
        this.#put(member, {});
        this.#plugins.letGo(member, effect.call.pod.node);
        this.#delay(member);
        this.#tryAt(member);
        return this.#roomChanged();
      }
      case "bind":
        return this.#bind(effect.call);
      case "poke": {
        const member = this.members.get(effect.uid);
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
    const snapshot = this.#snapshotOf(group);
    this.#advance(group, { is: "look", snapshot, longestHold: this.#longestHold });
  }

  #memberOf({ id, pod }: Call): Member | undefined {
    const member = this.members.get(pod.uid);
    return member?.call?.id === id && !member.call.isGranted ? member : undefined;
  }

  #ask(group: GangGroup, question: Question): void {
    this.functions.ask({ group, question }, (answer) => {
      const snapshot = this.#snapshotOf(group);
      if (!answer) return this.#advance(group, { is: "unanswered", why, snapshot });
      this.#advance(group, { is: "answered", answer, snapshot });
      this.#planSoon();
    });
  }

  #bind(call: Call): void {
    const member = this.#memberOf(call);
    if (!member) return;
    const { gang } = member;
    this.violation ??= boundTooSoon(gang, this);
    this.#put(member, { call: { ...call, isGranted: true } });
    this.timeline.after(1 + Math.floor(this.#chance() * 10), () => {
      if (this.members.get(call.pod.uid) !== member || member.call?.id !== call.id) return;
      this.#put(member, { node: call.pod.node });
      this.violation ??= splitOf(gang);
      this.#happened(gang, { is: "bound", gang: gang.id, isWhole: !gang.isShort });
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
      gangs.some(({ isWaiting }) => isWaiting)
    );
    const world = plannedWorld(inOrder(waiting, this.settings), {
      settings: this.settings,
      room: this.room,
      needs: this.needs,
      refusedFor: this.#refusedFor,
    });
    const plans = plan(world, this.timeline.now);
    this.#spare.planned(plans);
    const again = nextForgottenAt(waiting, this.timeline.now);
    if (again < Infinity) this.timeline.at(again, () => this.#planSoon());
    const waits = (uid: string) => isWaiting(this.members.get(uid));
    for (const group of waiting) {
      this.#advance(group, { is: "planned", plan: plans.byGroup.get(group.attended.id)!, waits });
    }
  }

  /** The scheduler tries a member when its back-off is over. */
  #tryAt(member: Member): void {
    this.timeline.at(member.readyAt + Math.floor(this.#chance() * 5), () => this.#try(member));
  }

  #wake(member: Member, ms: number): void {
    if (!member.isAsleep || assumedNodeOf(member)) return;
    member.isAsleep = false;
    this.timeline.after(ms, () => this.#tryAt(member));
  }

  #try(member: Member): void {
    const { pod, gang } = member;
    const { now } = this.timeline;
    const isTried = this.members.get(pod.uid) === member && !assumedNodeOf(member);
    if (!isTried || member.isAsleep || now < member.readyAt) return;
    const group = this.#groupOf(gang);
    const mover = moverOf(member, group);
    const roomy = this.room.assumedWith(member.gpus);
    const nodes = roomy.filter((node) => !this.#plugins.refuse(member, node));
    if (nodes.length === 0) return this.#unschedulable(member, messageOf(roomy));
    const placed: Snapshot["placed"] = (id, comes) => this.gangs.get(id)!.placed(comes);
    const refusal = refusalOf(group.attended, { uid: pod.uid, gang: gang.id, placed }, now);
    if (refusal) {
      const takenOn = offeredAgain(group.attended.refusedNodes, { ...mover, nodes });
      return this.#refuse(member, refusal, { group, takenOn });
    }
    const hears = { isIndifferent: this.indifferent.has(gang.id), hasJustChanged: () => false };
    const asks = { ...mover, gang: gang.id, nodes, nominated: undefined, isPart: false };
    const roomOn = this.#spare.roomFor(mover);
    const fullestOf = (nodes: readonly string[]) => this.#spare.fullestOf(mover, nodes);
    const alikeOn = () => alikeIn(group.gangs, mover.kind);
    const offered = offer(group.attended, { ...asks, ...hears, roomOn, fullestOf, alikeOn }, now);
    group.attended = offered.attended;
    if (offered.refusal) return this.#refuse(member, offered.refusal, { group });
    const node = offered.nodes[Math.floor(this.#chance() * offered.nodes.length)]!;
    if (this.bindMs === undefined) return this.#open(member, mover, node);
    this.#spare.moves(mover, { nodes: offered.nodes, now });
    this.#put(member, { assumed: node });
    this.timeline.after(Math.floor(this.#chance() * this.bindMs), () => {
      if (this.members.get(pod.uid) === member && member.assumed === node) {
        this.#open(member, mover, node);
      }
    });
  }

  #open(member: Member, mover: Mover, node: string): void {
    const { pod, gang } = member;
    const group = this.#groupOf(gang);
    const refusal = whyElsewhere(group.attended, { ...mover, gang: gang.id, node });
    if (refusal) {
      this.#put(member, {});
      this.#refuse(member, refusal, { group, takenOn: [node] });
      return this.#roomChanged();
    }
    this.#spare.arrived(mover, node);
    member.attempts = 0;
    member.failure = undefined;
    const openedAt = this.timeline.now;
    const held = { pod: { ...pod, node }, gang: gang.id, openedAt, isGranted: false };
    this.#put(member, { call: { id: ++this.#calls, ...held } });
    this.#happened(gang, { is: "call opened", uid: pod.uid });
  }

  #refuse(
    member: Member,
    { reason, message: sentence }: { reason: string; message: string },
    { group, takenOn }: { group: GangGroup; takenOn?: readonly string[] },
  ): void {
    const { pod, gang } = member;
    this.#sleep(member);
    member.failure = undefined;
    const { kind } = candidateOf(member.gpus);
    const refusal = { pod, gang: gang.id, kind, reason, sentence, at: this.timeline.now };
    this.#advance(group, { is: "refused", uid: pod.uid, refusal, takenOn });
  }

  #unschedulable(member: Member, message: string): void {
    const { pod, gang, failure: before } = member;
    member.failure = message;
    this.#sleep(member);
    if (before === message) return;
    this.#happened(gang, {
      is: "member changed",
      kind: candidateOf(member.gpus).kind,
      failure: { uid: pod.uid, name: pod.name, message, gang: gang.id },
      failedBefore: before !== undefined,
    });
  }

  #sleep(member: Member): void {
    member.isAsleep = true;
    this.#delay(member);
    if (member.pin !== undefined) this.pluginsChanged(() => member.pin = undefined);
  }

  /** A member was tried in vain. */
  #delay(member: Member): void {
    member.readyAt = this.timeline.now +
      Math.min(backoff.most, backoff.least * 2 ** member.attempts++);
  }

  /** A member is elsewhere. */
  #put(member: Member, to: Whereabouts): void {
    const { gpus, gang } = member;
    this.room.move(gpus, { from: nodeOf(member), to: nodeOf(to) });
    this.room.assume(gpus, { from: assumedNodeOf(member), to: assumedNodeOf(to) });
    gang.put(member, to);
  }
}
