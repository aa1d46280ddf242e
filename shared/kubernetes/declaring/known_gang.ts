/**
 * A gang that has been read, after one of its members has come, ended or says something else: mostly it is the same, and a gang of
 * 1,000 is not read at each of them.
 *
 * @module
 */
import type { Pod } from "../types.ts";
import { deadlineOf } from "./declared_run_time.ts";
import { createdAtOf, type ReadGang } from "./gang_reader.ts";
import { disagreeing } from "./gang_warnings.ts";
import { declaresSame, memberOf, saysAll } from "./member.ts";
import { bySay } from "./speakers.ts";

/**
 * Whether a gang is the same with a member and without it, however many there are: it says what the ruling one says, nothing of
 * roles, and has less of a say.
 */
export function isOneOfMany(pod: Pod, { spec, problem, from }: ReadGang): boolean {
  const { ruling, oldest, waiting } = from;
  if (problem || spec.roles || !saysAll(ruling)) return false;
  const isTimed = !memberOf(pod).waits || (waiting !== undefined && isAfter(pod, waiting));
  return isAfter(pod, ruling) && isAfter(pod, oldest) && isTimed && declaresSame(ruling, pod);
}

/**
 * The same gang where a member that has less of a say than the ruling one says something else of it, at which nothing counts but
 * whether it is what that one says; undefined: it is to be read.
 */
export function restated(
  read: ReadGang,
  { before, pod }: { before: Pod; pod: Pod },
): ReadGang | undefined {
  const { spec, problem, from: { ruling, oldest }, warnings, isUniform } = read;
  const [old, now, rules] = [memberOf(before), memberOf(pod), memberOf(ruling)];
  const isHeard = problem || spec.roles || ![ruling, before, pod].every(saysAll) ||
    !isAfter(pod, ruling) || !isAfter(pod, oldest) || now.hasQuorum && !rules.hasQuorum;
  const isSame = old.hasEnded === now.hasEnded && old.priority === now.priority &&
    old.longestWorkload === now.longestWorkload && deadlineOf(before) === deadlineOf(pod);
  if (isHeard || !isSame) return undefined;
  const others = warnings.filter((warning) => warning.pod.metadata.uid !== pod.metadata.uid);
  const isOver = now.hasEnded && !memberOf(oldest).hasEnded;
  return {
    ...read,
    isUniform: isUniform && declaresSame(ruling, pod),
    warnings: [...others, ...isOver ? [] : disagreeing([pod], ruling)],
  };
}

/**
 * The same gang where its ruling member does not go on, and all others that do say what it said; undefined: it is to be read. That
 * costs a look at each member, and not more, since a thousand may end at once.
 */
export function passedOn(
  read: ReadGang,
  { members, waiting }: { members: readonly Pod[]; waiting: Pod | undefined },
): ReadGang | undefined {
  if (!read.isUniform) return undefined;
  const next = firstOf(members);
  const isOver = memberOf(read.from.ruling).hasEnded;
  if (!next || memberOf(next).hasEnded && !isOver) return undefined;
  return readAsTime({ ...read, from: { ruling: next, oldest: next, waiting } }, waiting);
}

/** The same where another member is the oldest that waits. */
export function readAsTime(read: ReadGang, waiting: Pod | undefined): ReadGang {
  const from = { ...read.from, waiting };
  const createdAt = createdAtOf({ podGroup: read.podGroup, from });
  const isAsOld = createdAt === read.spec.createdAt;
  return { ...read, from, spec: isAsOld ? read.spec : { ...read.spec, createdAt } };
}

/** Whether a pod is another one than `other`, and has less of a say. */
function isAfter(pod: Pod, other: Pod): boolean {
  return other.metadata.uid !== pod.metadata.uid && bySay(other, pod) < 0;
}

/** Whoever has the most of a say. */
function firstOf(members: readonly Pod[]): Pod | undefined {
  let first: Pod | undefined;
  for (const pod of members) if (!first || bySay(pod, first) < 0) first = pod;
  return first;
}
