/**
 * What users should know of their pods and gangs beyond the sentence that the scheduler puts on their pods, as events.
 *
 * @module
 */
import { verdictOf } from "../../shared/core/attend/attended.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import type { GangFacts } from "../../shared/core/gang/facts.ts";
import { follow, type Standing } from "../../shared/core/words/telling.ts";
import { quoted } from "../../shared/core/words/text.ts";
import {
  classOf,
  type MemberClass,
  memberClassOf,
} from "../../shared/kubernetes/counting/census.ts";
import { forgottenName } from "../../shared/kubernetes/declaring/forgotten_name.ts";
import type { PodChange } from "../cluster/cluster.ts";
import { podGroupSubject, podSubject, type Subject } from "../kube/events.ts";
import type { Gang } from "../cluster/gang.ts";
import type { GangGroup } from "../run/gang_group.ts";
import type { PodRecord } from "../cluster/pod_record.ts";

/** What is said, and to whom. */
export interface WarningsWorld {
  /** Says something about a pod or a PodGroup, unless it has been said before. */
  readonly warn: (about: Subject, reason: string, message: string) => void;
}

interface Statement {
  readonly about: Subject;
  readonly reason: string;
  readonly message: string;
}

/** By what they say. */
type Statements = ReadonlyMap<string, Statement>;

/** Says what is wrong once it has been so for a moment. */
export class Warnings {
  readonly #world: WarningsWorld;
  readonly #standings = new WeakMap<GangGroup, ReadonlyMap<string, Standing>>();
  /** Groups of which something is still to be said. */
  readonly #unsaid = new Map<GangGroup, Statements>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #isLeading = false;

  constructor(world: WarningsWorld) {
    this.#world = world;
  }

  /** Speaks of pods without a gang from now on, those that are there first, or not any more. */
  lead(isLeading: boolean, pods: Iterable<PodRecord>): void {
    this.#isLeading = isLeading;
    if (isLeading) { for (const record of pods) this.#lookAt(record); }
  }

  /** Something happened to a pod. */
  podChanged({ before, record, isGone }: PodChange): void {
    if (this.#isLeading && !before && !isGone) this.#lookAt(record);
  }

  /** A gang group was looked at; without facts: it is gone. */
  looked(group: GangGroup, snapshot: Snapshot | undefined): void {
    this.#follow(group, snapshot ? this.#statements(group, snapshot) : new Map());
  }

  /** Says nothing more. */
  stop(): void {
    this.#isLeading = false;
    clearTimeout(this.#timer);
    this.#unsaid.clear();
  }

  #lookAt({ pod, node, gang, foreign }: PodRecord): void {
    if (gang !== undefined || foreign) return;
    // One that runs has been told.
    const isNew = pod.status?.phase === "Pending" && classOf(pod, node) !== "terminating";
    const forgotten = isNew ? forgottenName(pod) : undefined;
    if (forgotten !== undefined) this.#world.warn(podSubject(pod), "GangNameMissing", forgotten);
  }

  #follow(group: GangGroup, statements: Statements): void {
    const before = this.#standings.get(group) ?? new Map();
    const keys = statements.keys();
    const { standings, due, nextAt } = follow(before, { keys, now: Date.now() });
    this.#standings.set(group, standings);
    for (const key of due) {
      const { about, reason, message } = statements.get(key)!;
      this.#world.warn(about, reason, message);
    }
    if (nextAt === Infinity) this.#unsaid.delete(group);
    else this.#unsaid.set(group, statements);
    this.#arm(nextAt);
  }

  #arm(at: number): void {
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      for (const [group, statements] of [...this.#unsaid]) this.#follow(group, statements);
    }, at - Date.now());
  }

  #statements(group: GangGroup, { group: facts }: Snapshot): Statements {
    const all = group.gangs.flatMap((gang, index) =>
      gang.members.size === 0 ? [] : ofGang(gang, facts.gangs[index]?.problem)
    );
    return new Map(
      [...all, ...ofDegraded(group, facts.gangs)].map((statement) => {
        const { about, reason, message } = statement;
        return [`${about.metadata.uid} ${reason} ${message}`, statement];
      }),
    );
  }
}

/** The classes of members that wait for Muster. */
const waiting: readonly MemberClass[] = ["pending", "gated"];

function ofGang(gang: Gang, problem: GangFacts["problem"]): Statement[] {
  const members = [...gang.members.values()].flatMap((record): Statement | [] => {
    const memberClass = memberClassOf(record);
    const about = podSubject(record.pod);
    if (memberClass === "foreign") return { about, ...mismatch(record) };
    return problem && waiting.includes(memberClass) ? { about, ...problem } : [];
  });
  const conflicts = gang.read().warnings
    .filter(({ pod }) => isToldOfConflicts(gang.members.get(pod.metadata.uid)))
    .map(({ pod, message }) => ({ about: podSubject(pod), reason: "GangConflict", message }));
  return [...members, ...conflicts];
}

function isToldOfConflicts(record: PodRecord | undefined): boolean {
  return record !== undefined && !record.foreign &&
    [...waiting, "bound"].includes(memberClassOf(record));
}

function mismatch({ gang, foreign }: PodRecord): { reason: string; message: string } {
  const { scheduler, served } = foreign!;
  const message =
    `a member of gang ${gang} asks for scheduler ${quoted(scheduler)}, so it is not ` +
    "Muster's to place: if it is to be, create it anew with spec.schedulerName " +
    `"${served.join('" or "')}"`;
  return { reason: "SchedulerMismatch", message };
}

/** S4: an event on the PodGroup, for its controller to act on; not while members are about to leave: the others may follow. */
function ofDegraded(
  { attended, gangs }: GangGroup,
  facts: readonly GangFacts[],
): Statement[] {
  const isGoing = facts.some(({ census }) => census.terminating > 0) ||
    facts.every(({ census }) => census.bound === 0);
  const verdict = verdictOf(attended);
  if (verdict?.reason !== "Degraded" || isGoing) return [];
  const { message } = verdict;
  return gangs.flatMap((gang) => {
    const { podGroup } = gang.read();
    return podGroup ? [{ about: podGroupSubject(podGroup), reason: "Unschedulable", message }] : [];
  });
}
