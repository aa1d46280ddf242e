/**
 * Members of an earlier run of a gang: a Job that is run again names its gang as before, and the pods of its last run may still be
 * there.
 *
 * @module
 */
import { classOf } from "../kubernetes/counting/census.ts";
import { ownerOf } from "../kubernetes/declaring/job.ts";
import { memberOf } from "../kubernetes/declaring/member.ts";
import type { Pod } from "../kubernetes/types.ts";
import { endOf } from "./gang_run.ts";
import type { PodRecord } from "./pod_record.ts";

/** From when the first was created until the last ended, in ms since the epoch; Infinity: it goes on. */
interface Span {
  readonly from: number;
  readonly to: number;
}

interface Life extends Span {
  readonly is: "going on" | "leaving" | "succeeded" | "failed";
}

/** Members of one controller, or one that has none. */
interface Crew {
  readonly id: string;
  /** By kind and name, as it may be created anew; undefined: it has none. */
  readonly controller: string | undefined;
  readonly lives: Map<string, Life>;
  /** Its controller is deleted: who is left is about to be. */
  isGone: boolean;
  /** Undefined: one of them has changed. */
  span: Span | undefined;
}

const none: ReadonlySet<string> = new Set();

/** The members of a gang by when they were there. */
export class Runs {
  readonly #crews = new Map<string, Crew>();
  readonly #crewOf = new Map<string, Crew>();
  #earlier: ReadonlySet<string> | undefined = none;
  /** Some have ended before the others, and are of an earlier run if they were as many as their gang needs. */
  #dependsOnNeed = false;
  /** All go on, each with a controller of its own or with none: another that goes on does not change that. */
  #isOneRun = false;

  /** A member came, or changed; whether it has just ended, or begun to leave. */
  count(record: PodRecord): boolean {
    const { uid } = record.pod.metadata;
    const crew = this.#crewFor(record.pod);
    const before = crew.lives.get(uid);
    const life = lifeOf(record);
    if (before?.is === life.is && before.to === life.to) return false;
    const isKnown = crew.lives.size > 0 || crew.controller === undefined;
    crew.lives.set(uid, life);
    crew.span = undefined;
    if (!this.#isOneRun || !isKnown || life.is !== "going on") this.#earlier = undefined;
    return life.to < Infinity && before?.to !== life.to;
  }

  /** What members say of their gang, or what their PodGroup does, is another. */
  declared(): void {
    if (this.#dependsOnNeed) this.#earlier = undefined;
  }

  /** A controller is deleted; whether any members are its. */
  controllerGone(uid: string): boolean {
    const crew = this.#crews.get(uid);
    if (!crew || crew.isGone) return false;
    crew.isGone = true;
    this.#earlier = undefined;
    return true;
  }

  /** A member is gone. */
  forget(uid: string): void {
    const crew = this.#crewOf.get(uid);
    if (!crew) return;
    this.#crewOf.delete(uid);
    crew.lives.delete(uid);
    if (crew.lives.size === 0) this.#crews.delete(crew.id);
    crew.span = undefined;
    this.#earlier = undefined;
  }

  /**
   * By uid, the members of an earlier run:
   * - those whose controller was created anew, or is deleted while members of another one go on;
   * - those that had all ended before any was created that goes on, where none of their controller goes on, and they were as many as
   *   their gang needs: of fewer some may have come back. Whoever was there at the same time as others is of their run.
   *
   * Members without a controller have to have succeeded for that, because nobody can tell who comes back for one that failed; beside
   * members that have one they may be of any run. `minMemberOf` tells how many a gang needs by what one member says.
   */
  earlier(minMemberOf: (uid: string) => number): ReadonlySet<string> {
    return this.#earlier ??= this.#find(minMemberOf);
  }

  #find(minMemberOf: (uid: string) => number): ReadonlySet<string> {
    const all = [...this.#crews.values()];
    this.#isOneRun = areOneRun(all);
    const replaced = replacedIn(all).union(deletedIn(all));
    const before = crewsBefore(all.filter((crew) => !replaced.has(crew) || !goesOn(crew)));
    this.#dependsOnNeed = before.length > 0;
    const crews = isWholeRun(before, minMemberOf) ? [...replaced, ...before] : [...replaced];
    return new Set(livesIn(crews).filter(([, { is }]) => is !== "leaving").map(([uid]) => uid));
  }

  #crewFor(pod: Pod): Crew {
    const { uid } = pod.metadata;
    const owner = ownerOf(pod);
    const id = owner?.uid ?? uid;
    const known = this.#crewOf.get(uid);
    if (known?.id === id) return known;
    this.forget(uid);
    const controller = owner?.uid && `${owner.apiVersion} ${owner.kind} ${owner.name}`;
    const crew = this.#crews.get(id) ??
      { id, controller, lives: new Map(), isGone: false, span: undefined };
    this.#crews.set(id, crew);
    this.#crewOf.set(uid, crew);
    return crew;
  }
}

function areOneRun(crews: readonly Crew[]): boolean {
  const controllers = crews.flatMap(({ controller }) => controller ?? []);
  return new Set(controllers).size === controllers.length &&
    crews.every((crew) => goesOn(crew) && !crew.isGone);
}

/** Those whose controller is gone, since a later one has its name: who has not ended is about to leave. */
function replacedIn(crews: readonly Crew[]): ReadonlySet<Crew> {
  const newest = new Map<string, number>();
  for (const crew of crews) {
    if (crew.controller === undefined) continue;
    const latest = newest.get(crew.controller) ?? -Infinity;
    newest.set(crew.controller, Math.max(latest, spanOf(crew).from));
  }
  return new Set(
    crews.filter((crew) => spanOf(crew).from < (newest.get(crew.controller!) ?? -Infinity)),
  );
}

function deletedIn(crews: readonly Crew[]): ReadonlySet<Crew> {
  const isFollowed = crews.some((crew) => !crew.isGone && goesOn(crew));
  return new Set(isFollowed ? crews.filter(({ isGone }) => isGone) : []);
}

function goesOn(crew: Crew): boolean {
  return spanOf(crew).to === Infinity;
}

/** Those of which nobody was there at the same time as any that goes on, or as any who was there at the same time as those. */
function crewsBefore(crews: readonly Crew[]): readonly Crew[] {
  const controlled = crews.filter(({ controller }) => controller !== undefined).length;
  if (controlled > 0 && controlled < crews.length) return [];
  const ended: { crew: Crew; span: Span }[] = [];
  let begin = Infinity;
  let firstEnd = Infinity;
  for (const crew of crews) {
    const span = spanOf(crew);
    if (span.to < Infinity) ended.push({ crew, span });
    else begin = Math.min(begin, span.from);
    firstEnd = Math.min(firstEnd, span.to);
  }
  if (begin === Infinity || firstEnd > begin) return [];
  return ended.sort((a, b) => b.span.to - a.span.to).filter(({ span: { from, to } }) => {
    const isBefore = to <= begin && from < begin;
    if (!isBefore) begin = Math.min(begin, from);
    return isBefore;
  }).map(({ crew }) => crew);
}

function isWholeRun(crews: readonly Crew[], minMemberOf: (uid: string) => number): boolean {
  const lives = livesIn(crews);
  if (lives.length === 0) return false;
  const done = crews[0]!.controller ? lives : lives.filter(([, { is }]) => is === "succeeded");
  const [oldest] = lives.reduce((a, b) => isOlder(b, a) ? b : a);
  return done.length >= minMemberOf(oldest);
}

type Named = readonly [uid: string, life: Life];

function livesIn(crews: readonly Crew[]): Named[] {
  return crews.flatMap(({ lives }) => [...lives]);
}

function isOlder([uid, { from }]: Named, [otherUid, other]: Named): boolean {
  return from === other.from ? uid < otherUid : from < other.from;
}

function spanOf(crew: Crew): Span {
  if (crew.span) return crew.span;
  let [from, to] = [Infinity, -Infinity];
  for (const life of crew.lives.values()) {
    from = Math.min(from, life.from);
    to = Math.max(to, life.to);
  }
  return crew.span = { from, to };
}

/** One of which it is not known when it was created was always there. */
function lifeOf(record: PodRecord): Life {
  const { metadata } = record.pod;
  const from = memberOf(record.pod).createdAt || -Infinity;
  const is = classOf(record.pod);
  if (is === "succeeded" || is === "failed") return { from, to: inSeconds(hasEndedBy(record)), is };
  const left = Date.parse(metadata.deletionTimestamp ?? "");
  if (isNaN(left)) return { from, to: Infinity, is: "going on" };
  const grace = 1000 * (metadata.deletionGracePeriodSeconds ?? 0);
  return { from, to: inSeconds(left - grace), is: "leaving" };
}

/** The clock of its node may be ahead; where nobody says when it ended, it was there when the last was said of it. */
function hasEndedBy(record: PodRecord): number {
  const by = Math.min(endOf(record), record.endedAt ?? Infinity);
  if (by < Infinity) return by;
  const { metadata, status } = record.pod;
  const told = [
    metadata.creationTimestamp,
    status?.startTime,
    ...status?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime) ?? [],
  ];
  return Math.max(...told.map((time) => Date.parse(time ?? "") || 0));
}

/** Creations are told in whole seconds. */
function inSeconds(time: number): number {
  return 1000 * Math.floor(time / 1000);
}
