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
import type { Question } from "../../../shared/core/attend/question.ts";
import { refusalOf } from "../../../shared/core/attend/refusal.ts";
import { nextForgottenAt, offeredAgain } from "../../../shared/core/attend/refused_nodes.ts";
import { type Mover, Spare } from "../../../shared/core/attend/spare.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { Composite } from "../../../shared/core/gang/topology.ts";
import { type GangSpec, groupId } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { plan } from "../../../shared/core/plan/planner.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import {
  assumedNodeOf,
  backOff,
  boundTooSoon,
  freeBeside,
  type GangGroup,
  type Gangs,
  idOf,
  inOrder,
  isShort,
  isWaiting,
  type Member,
  moverOf,
  nodeOf,
  placedIn,
  plannedWorld,
  pureSnapshot,
  splitOf,
} from "./pure_facts.ts";
import { PureFunctions } from "./pure_functions.ts";
import { messageOf, PurePlugins } from "./pure_plugins.ts";
import { Timeline } from "./timeline.ts";

const why = { reason: "FunctionsUnreachable", message: "the functions do not answer" } as const;

/** The world of one history. */
export class PureWorld {
  readonly timeline = new Timeline(1_000_000);
  readonly functions: PureFunctions;
  readonly nodes = new Map<string, number>();
  readonly members = new Map<string, Member>();
  readonly specs = new Map<string, GangSpec>();
  readonly groups = new Map<string, GangGroup>();
  /** So long at most it takes from `filter` to the call of bind, in ms; undefined: no time at all. */
  bindMs: number | undefined;
  /** Which gangs the group of several needs; undefined: all. */
  composite: Composite | undefined;
  /** Events of gang groups so far. */
  events = 0;
  /** A rule that does not hold. */
  violation: string | undefined;
  readonly #settings: Settings;
  readonly #longestHold: number;
  /** Random numbers below 1, the same in each run of a history. */
  readonly #chance: () => number;
  readonly #byGang = new Map<string, readonly Member[]>();
  readonly #gangs: Gangs = {
    specs: this.specs,
    membersOf: (gang) => this.#byGang.get(gang) ?? [],
    composite: () => this.composite,
  };
  readonly #spare = new Spare();
  readonly #plugins = new PurePlugins(this.#gangs);
  #epoch = 0;
  #calls = 0;
  #isPlanned = true;

  constructor(
    { settings, longestHold }: { settings: Settings; longestHold: number },
    chance: () => number,
  ) {
    this.#settings = settings;
    this.#longestHold = longestHold;
    this.#chance = chance;
    this.functions = new PureFunctions({ timeline: this.timeline, settings, chance });
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
    this.#byGang.set(gang, [...this.#gangs.membersOf(gang), member]);
    this.#happened(gang, { is: "member came", uid: name });
    this.#tryAt(member);
  }

  delete(uid: string): void {
    const member = this.members.get(uid);
    if (!member) return;
    const { gang, node, call, pod } = member;
    this.members.delete(uid);
    this.#byGang.set(gang, this.#gangs.membersOf(gang).filter((other) => other !== member));
    if (node || call) {
      this.#happened(gang, { is: "place lost", uid, gang, isTooFew: isShort(gang, this.#gangs) });
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
      if (!isWaiting(member)) continue;
      delete member.assumed;
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

  /** The scheduler's own plugins have other reasons than before: it tries everybody again. */
  pluginsChanged(change: (plugins: PurePlugins) => void): void {
    change(this.#plugins);
    for (const member of this.members.values()) this.#wake(member, 2);
    this.#roomChanged();
  }

  /** Members of a gang with a node. */
  bound(gang: string): number {
    return this.#gangs.membersOf(gang).filter(({ node }) => node).length;
  }

  /** What is free on each node for whoever is neither bound nor held. */
  free(placeOf = nodeOf): Map<string, number> {
    return freeBeside(this.members.values(), { nodes: this.nodes, placeOf });
  }

  #snapshotOf(group: GangGroup): Snapshot {
    return pureSnapshot(group, this.#gangs, ++this.#epoch);
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
    this.events++;
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
    this.violation ??= boundTooSoon(member.gang, this.#gangs);
    member.call = { ...call, isGranted: true };
    this.timeline.after(1 + Math.floor(this.#chance() * 10), () => {
      if (this.members.get(call.pod.uid) !== member || member.call?.id !== call.id) return;
      delete member.call;
      member.node = call.pod.node;
      const { gang } = member;
      this.violation ??= splitOf(gang, this.#gangs);
      this.#happened(gang, { is: "bound", gang, isWhole: !isShort(gang, this.#gangs) });
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
      gangs.some((gang) => this.#gangs.membersOf(gang).some(isWaiting))
    );
    const world = plannedWorld(inOrder(waiting, this.#gangs, this.#settings), {
      gangs: this.#gangs,
      settings: this.#settings,
      free: this.free(),
      nodes: this.nodes,
      refusedFor: (attended) => this.#plugins.knownTo(attended, this.timeline.now),
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

  #backOff(member: Member): void {
    backOff(member, this.timeline.now);
    this.#tryAt(member);
  }

  #try(member: Member): void {
    const { pod, gang } = member;
    const { now } = this.timeline;
    const isTried = this.members.get(pod.uid) === member && !assumedNodeOf(member);
    if (!isTried || member.isAsleep || now < member.readyAt) return;
    const group = this.#groupOf(gang);
    const mover = moverOf(member, group);
    const free = this.free(assumedNodeOf);
    const roomy = [...free].filter(([, gpus]) => gpus >= member.gpus).map(([node]) => node);
    const nodes = roomy.filter((node) => !this.#plugins.refuse(member, node));
    if (nodes.length === 0) return this.#unschedulable(member, messageOf(roomy));
    const placed: Snapshot["placed"] = (id, comes) => placedIn(this.#gangs.membersOf(id), comes);
    const refusal = refusalOf(group.attended, { uid: pod.uid, gang, placed }, now);
    if (refusal) {
      const takenOn = offeredAgain(group.attended.refusedNodes, { ...mover, nodes });
      this.#refuse(member, refusal, { group, takenOn });
      return takenOn.length > 0 ? this.#planSoon() : undefined;
    }
    const asks = { ...mover, gang, nodes, nominated: undefined, isPart: false };
    const roomOn = this.#spare.roomFor(mover);
    const offered = offer(group.attended, { ...asks, roomOn }, now);
    const { attended, nodes: places, refusal: unplaced } = offered;
    group.attended = attended;
    if (unplaced) {
      this.#refuse(member, unplaced, { group });
      return this.#planSoon();
    }
    const node = places[Math.floor(this.#chance() * places.length)]!;
    if (this.bindMs === undefined) return this.#open(member, mover, node);
    this.#spare.moves(mover, { nodes: places, now });
    member.assumed = node;
    this.timeline.after(Math.floor(this.#chance() * this.bindMs), () => {
      if (this.members.get(pod.uid) === member && member.assumed === node) {
        this.#open(member, mover, node);
      }
    });
  }

  #open(member: Member, mover: Mover, node: string): void {
    const { pod, gang } = member;
    const group = this.#groupOf(gang);
    delete member.assumed;
    const refusal = whyElsewhere(group.attended, { ...mover, gang, node });
    if (refusal) {
      this.#refuse(member, refusal, { group, takenOn: [node] });
      return this.#roomChanged();
    }
    this.#spare.arrived(mover, node);
    member.attempts = 0;
    delete member.failure;
    member.call = {
      id: ++this.#calls,
      pod: { ...pod, node },
      gang,
      openedAt: this.timeline.now,
      isGranted: false,
    };
    this.#happened(gang, { is: "call opened", uid: pod.uid });
  }

  #refuse(
    member: Member,
    { reason, message: sentence }: { reason: string; message: string },
    { group, takenOn }: { group: GangGroup; takenOn?: readonly string[] },
  ): void {
    const { pod, gang } = member;
    this.#sleep(member);
    delete member.failure;
    const kind = String(member.gpus);
    const refusal = { pod, gang, kind, reason, sentence, at: this.timeline.now };
    this.#advance(group, { is: "refused", uid: pod.uid, refusal, takenOn });
  }

  #unschedulable(member: Member, message: string): void {
    const { pod, gang, failure: before } = member;
    member.failure = message;
    this.#sleep(member);
    if (before === message) return;
    this.#happened(gang, {
      is: "member changed",
      kind: String(member.gpus),
      failure: { uid: pod.uid, name: pod.name, message, gang },
      failedBefore: before !== undefined,
    });
  }

  #sleep(member: Member): void {
    member.isAsleep = true;
    backOff(member, this.timeline.now);
  }
}
