/**
 * What users should know of their pods and gangs beyond the sentence that the scheduler puts on their pods.
 *
 * @module
 */
import { verdictOf } from "../core/attend/attended.ts";
import type { GangFacts } from "../core/gang/facts.ts";
import { quoted } from "../core/words/text.ts";
import { classOf, type MemberClass, memberClassOf } from "../kubernetes/counting/census.ts";
import { forgottenName } from "../kubernetes/declaring/forgotten_name.ts";
import { podGroupSubject, podSubject, type Subject } from "../kubernetes/subject.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import type { List } from "./member_lists.ts";
import type { PodRecord } from "./pod_record.ts";

/** Something to say of a pod or a PodGroup. */
export interface Statement {
  readonly about: Subject;
  readonly reason: string;
  readonly message: string;
}

/** What is to be said of a gang group, by what it says. */
export function statementsOf(
  group: GangGroup,
  facts: readonly GangFacts[],
): ReadonlyMap<string, Statement> {
  const all = group.gangs.flatMap((gang, index) =>
    gang.members.size === 0 ? [] : ofGang(gang, facts[index]?.problem)
  );
  return new Map(
    [...all, ...ofDegraded(group, facts)].map((statement) => {
      const { about, reason, message } = statement;
      return [`${about.metadata.uid} ${reason} ${message}`, statement];
    }),
  );
}

/** What is to be said of a pod without a gang when it is first seen: one that runs has been told. */
export function statementOf({ pod, node, gang, foreign }: PodRecord): Statement | undefined {
  if (gang !== undefined || foreign) return undefined;
  const isNew = pod.status?.phase === "Pending" && classOf(pod, node) !== "terminating";
  const message = isNew ? forgottenName(pod) : undefined;
  return message === undefined
    ? undefined
    : { about: podSubject(pod), reason: "GangNameMissing", message };
}

/** Where members stand that wait for Muster: of what is wrong with their gang they are told. */
const waiting: readonly List[] = ["pending", "gated", "held"];
/** The classes of members that are told anything. */
const told: readonly MemberClass[] = ["pending", "gated", "bound"];

/** Looks at no member that there is nothing to say of: a large gang is looked at often. */
function ofGang(gang: Gang, problem: GangFacts["problem"]): Statement[] {
  const membersIn = (list: List) => [...gang.lists.in(list)];
  const strays = membersIn("foreign").map((record) => ({
    about: podSubject(record.pod),
    ...mismatch(record),
  }));
  const stopped = problem ? waiting.flatMap(membersIn).filter(isTold) : [];
  const conflicts = gang.read().warnings
    .filter(({ pod }) => isTold(gang.members.get(pod.metadata.uid)))
    .map(({ pod, message }) => ({ about: podSubject(pod), reason: "GangConflict", message }));
  return [
    ...strays,
    ...stopped.map(({ pod }) => ({ about: podSubject(pod), ...problem! })),
    ...conflicts,
  ];
}

function isTold(record: PodRecord | undefined): boolean {
  return record !== undefined && !record.foreign &&
    told.includes(memberClassOf(record));
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
