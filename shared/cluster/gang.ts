/**
 * A gang as its pods and its PodGroup make it.
 *
 * @module
 */
import { type ReadGang, readGang, type Referents } from "../kubernetes/declaring/gang_reader.ts";
import { isOneOfMany, passedOn, readAsTime, restated } from "../kubernetes/declaring/known_gang.ts";
import { memberOf } from "../kubernetes/declaring/member.ts";
import { nearItself } from "../kubernetes/counting/near_itself.ts";
import type { Pod } from "../kubernetes/types.ts";
import type { GangSpec } from "../core/gang/facts.ts";
import type { RunTime } from "../core/gang/run_time.ts";
import { Runs } from "./earlier_run.ts";
import { type GangRun, gangRunOf } from "./gang_run.ts";
import { counts, MemberLists } from "./member_lists.ts";
import type { PodRecord } from "./pod_record.ts";
import { WaitingMembers } from "./waiting_members.ts";

/** What is known of a gang beside its pods. */
export interface Surroundings extends Referents {
  /** How long it is taken to run where nothing else is known, in seconds. */
  readonly expectedSeconds?: number | undefined;
}

/** How long gangs like one ran, as far as any did, and when that was heard, in ms since the epoch. */
export interface Learnt {
  readonly runTime: RunTime | undefined;
  readonly at: number;
}

/** The pods of one gang, and what they declare. */
export class Gang {
  readonly id: string;
  readonly members = new Map<string, PodRecord>();
  readonly #surroundings: Surroundings;
  #read: ReadGang | undefined;
  /** The member by which its time was read waits no more. */
  #isLate = false;
  #lists: MemberLists | undefined;
  #waiting: WaitingMembers | undefined;
  readonly #runs = new Runs();
  /** Members of an earlier run, by uid. */
  #earlier: ReadonlySet<string> = new Set();
  #run: GangRun | undefined;
  #version: object = {};
  #learnt: Learnt | undefined;

  constructor(id: string, surroundings: Surroundings) {
    this.id = id;
    this.#surroundings = surroundings;
  }

  /** The gang's spec; remembered until its members or its PodGroup change, and beyond the last member. */
  read(): ReadGang {
    this.#tellRunsApart();
    if (!this.#read && this.members.size > 0) {
      const read = readGang(this.#pods(), this.#surroundings);
      this.#read = { ...read, spec: { ...read.spec, ...nearOf(read) } };
    } else if (this.#isLate) this.#read = readAsTime(this.#read!, this.#firstWaiting());
    this.#isLate = false;
    return this.#read!;
  }

  #tellRunsApart(): void {
    if (this.members.size === 0) return;
    const earlier = this.#runs.earlier((uid) => {
      const { spec, problem } = readGang([this.members.get(uid)!.pod], this.#surroundings);
      return problem ? Infinity : spec.minMember;
    });
    if (earlier === this.#earlier) return;
    const others = earlier.symmetricDifference(this.#earlier);
    this.#earlier = earlier;
    if (!others.values().some((uid) => this.members.has(uid))) return;
    this.#read = undefined;
    this.#lists = undefined;
    this.#waiting = undefined;
  }

  /** Another object whenever anything of it may be another: what is made of it alone is remembered by this. */
  get version(): object {
    return this.#version;
  }

  /** How long gangs like it ran; undefined: that has not been asked for. */
  get learnt(): Learnt | undefined {
    return this.#learnt;
  }

  set learnt(learnt: Learnt | undefined) {
    this.#learnt = learnt;
    this.#changed();
  }

  /** Whether nothing is left of it: no member, and no PodGroup. */
  get isGone(): boolean {
    if (this.members.size > 0) return false;
    const { spec, podGroupKinds } = this.read();
    const find = this.#surroundings.findPodGroup;
    return !podGroupKinds.some((kind) => find?.(kind, spec.namespace, spec.name));
  }

  /** The path of a member's role; undefined: it has none. */
  roleOf({ pod }: PodRecord): string | undefined {
    return this.read().roleOf?.(pod);
  }

  /** Its members by what they count as. */
  get lists(): MemberLists {
    const { podGroup } = this.read();
    if (!this.#lists || this.#lists.beside.podGroup !== podGroup) {
      this.#lists = new MemberLists(this.members.values(), { podGroup, earlier: this.#earlier });
    }
    return this.#lists;
  }

  /** The members that count: those of an earlier run do not, nor pods that were bound for an earlier PodGroup of its name (S3). */
  counted(): PodRecord[] {
    const { beside } = this.lists;
    return [...this.members.values()].filter((record) => counts(record, beside));
  }

  /** When its members started and ended; remembered until one of them changes. */
  run(): GangRun {
    return this.#run ??= gangRunOf(this.counted());
  }

  /**
   * How long it is going to run: what it says of it, which it may only declare where gangs like it ran no longer; what those
   * did; or what is taken to be so of all.
   */
  get runTime(): RunTime | undefined {
    const { expectedSeconds } = this.#surroundings;
    const { runTime: said } = this.read();
    const learnt = this.learnt?.runTime;
    const isTooShort = said?.source === "declared" && learnt && learnt.seconds > said.seconds;
    return (isTooShort ? undefined : said) ?? learnt ??
      (expectedSeconds === undefined ? undefined : { seconds: expectedSeconds, source: "setting" });
  }

  /** Whether fewer members have a node or are held than the gang needs. */
  get lacksMembers(): boolean {
    return this.lists.placed() < this.read().spec.minMember;
  }

  /** Whether it has fewer members than it needs, wherever they are. */
  get isIncomplete(): boolean {
    return this.lists.present() < this.read().spec.minMember;
  }

  /** A member came, or what it counts as may be another. */
  memberChanged(record: PodRecord): void {
    const { pod } = record;
    const known = this.members.get(pod.metadata.uid);
    this.members.set(pod.metadata.uid, record);
    const hasJustEnded = this.#runs.count(record);
    this.#lists?.count(record);
    if (known !== record) this.#waiting?.add(record);
    if (!known || hasJustEnded) this.#readAgainFor(pod);
    const waiting = this.#read?.from.waiting?.metadata.uid;
    if (waiting === pod.metadata.uid && !memberOf(pod).waits) this.#isLate = true;
    this.#changed();
  }

  /** A member is gone. */
  memberLeft(uid: string): void {
    const left = this.members.get(uid);
    this.members.delete(uid);
    this.#runs.forget(uid);
    this.#lists?.forget(uid);
    if (left && !this.#earlier.has(uid)) this.#readAgainFor(left.pod);
    this.#changed();
  }

  /** What the members or the PodGroup declare changed. */
  declarationChanged(): void {
    if (this.members.size === 0) return;
    this.#read = undefined;
    this.#runs.declared();
    this.#changed();
  }

  /** A member says something else of it than before. */
  memberDeclares(before: Pod, pod: Pod): void {
    const isHeard = !this.#earlier.has(pod.metadata.uid);
    const read = this.#read && isHeard ? restated(this.#read, { before, pod }) : undefined;
    this.declarationChanged();
    this.#read = read;
  }

  /** What controls members is deleted; whether it does any. */
  controllerGone(uid: string): boolean {
    const isOurs = this.#runs.controllerGone(uid);
    if (isOurs) this.declarationChanged();
    return isOurs;
  }

  #changed(): void {
    this.#run = undefined;
    this.#version = {};
  }

  #deadlineOf(pod: Pod): number | undefined {
    return this.#surroundings.jobDeadlineOf?.(pod);
  }

  /** One that says what all say changes nothing: a gang of 1,000 is not read at each of them. */
  #readAgainFor(pod: Pod): void {
    const read = this.#read;
    const isLikeRuling = read && this.members.size > 1 &&
      this.#deadlineOf(pod) === this.#deadlineOf(read.from.ruling);
    if (isLikeRuling && isOneOfMany(pod, read)) return;
    this.declarationChanged();
    if (isLikeRuling && pod.metadata.uid === read.from.ruling.metadata.uid) {
      this.#read = passedOn(read, { members: this.#pods(), waiting: this.#firstWaiting() });
    }
  }

  #firstWaiting(): Pod | undefined {
    this.#waiting ??= new WaitingMembers(this.#speaking());
    return this.#waiting.first((record) => this.members.get(record.pod.metadata.uid) === record);
  }

  /** The members that have a say. */
  #speaking(): PodRecord[] {
    const records: PodRecord[] = [];
    for (const [uid, record] of this.members) if (!this.#earlier.has(uid)) records.push(record);
    return records;
  }

  #pods(): Pod[] {
    return this.#speaking().map(({ pod }) => pod);
  }
}

/** Where nothing else is said members whose affinity keeps them beside each other are placed together, if that is possible. */
function nearOf({ spec: { topology }, from: { ruling } }: ReadGang): Pick<GangSpec, "topology"> {
  const preferred = topology ? [] : nearItself(ruling);
  return preferred.length > 0 ? { topology: { preferred } } : {};
}
