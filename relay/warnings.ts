/**
 * What users should know of their pods and gangs beyond the sentence that the scheduler puts on their pods, as events.
 *
 * @module
 */
import type { GangFacts } from "../shared/core/facts.ts";
import { follow, type Standing } from "../shared/core/telling.ts";
import { classOf, type MemberClass } from "../shared/kubernetes/census.ts";
import { forgottenName } from "../shared/kubernetes/forgotten_name.ts";
import type { Pod } from "../shared/kubernetes/types.ts";
import type { PodChange } from "./cluster.ts";
import { podGroupSubject, podSubject, type Subject } from "./events.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup, Snapshot } from "./gang_group.ts";
import type { PodRecord } from "./pod_record.ts";

/** What is said, and to whom. */
export interface WarningsWorld {
  /** Says something about a pod or a PodGroup, unless it has been said before. */
  readonly warn: (about: Subject, reason: string, message: string) => void;
  /** Names that the scheduler beside the relay answers to. */
  readonly schedulerNames: readonly string[];
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

  #lookAt({ pod, node, gang }: PodRecord): void {
    if (gang !== undefined || !isServed(pod, this.#world)) return;
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
      gang.members.size === 0 ? [] : ofGang(gang, facts.gangs[index]?.problem, this.#world)
    );
    return new Map(
      [...all, ...ofDegraded(group, facts.gangs)].map((statement) => {
        const { about, reason, message } = statement;
        return [`${about.metadata.uid} ${reason} ${message}`, statement];
      }),
    );
  }
}

function isServed({ spec }: Pod, { schedulerNames }: WarningsWorld): boolean {
  return schedulerNames.includes(spec.schedulerName ?? "default-scheduler");
}

/** The classes of members that wait. */
const waiting: readonly MemberClass[] = ["pending", "gated"];

function ofGang(gang: Gang, problem: GangFacts["problem"], world: WarningsWorld): Statement[] {
  const members = [...gang.members.values()].flatMap(({ pod, node }): Statement | [] => {
    if (!waiting.includes(classOf(pod, node))) return [];
    const about = podSubject(pod);
    if (!isServed(pod, world)) return { about, ...mismatch(gang, pod, world) };
    return problem ? { about, ...problem } : [];
  });
  const conflicts = gang.read().warnings
    .filter(({ pod }) => [...waiting, "bound"].includes(classOf(pod)))
    .map(({ pod, message }) => ({ about: podSubject(pod), reason: "GangConflict", message }));
  return [...members, ...conflicts];
}

function mismatch({ id }: Gang, { spec }: Pod, { schedulerNames }: WarningsWorld) {
  const message = `a member of gang ${id} asks for scheduler "${spec.schedulerName}", but Muster ` +
    `serves "${schedulerNames.join('", "')}": set its spec.schedulerName`;
  return { reason: "SchedulerMismatch", message };
}

/** S4: an event on the PodGroup, for its controller to act on; not while members are about to leave: the others may follow. */
function ofDegraded(
  { admission, gangs }: GangGroup,
  facts: readonly GangFacts[],
): Statement[] {
  const isGoing = facts.some(({ census }) => census.terminating > 0) ||
    facts.every(({ census }) => census.bound === 0);
  if (admission?.reason !== "Degraded" || isGoing) return [];
  const { message } = admission;
  return gangs.flatMap((gang) => {
    const { podGroup } = gang.read();
    return podGroup ? [{ about: podGroupSubject(podGroup), reason: "Unschedulable", message }] : [];
  });
}
