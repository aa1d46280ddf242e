/**
 * Which members of a gang speak for it: pods need not say the same.
 *
 * @module
 */
import type { Dialect } from "./dialect.ts";
import { memberOf } from "./member.ts";
import type { Pod } from "../types.ts";

/** Members by how much of a say they have. */
export interface Speakers {
  readonly oldestFirst: readonly Pod[];
  readonly oldest: Pod;
  readonly ruling: Pod;
  /** The oldest of those that wait for a node; undefined: none does. */
  readonly waiting: Pod | undefined;
  /** Without those that have ended, where any goes on. */
  readonly goOn: readonly Pod[];
}

/** Of members that must not be empty. */
export function speakersOf(members: readonly Pod[]): Speakers {
  const oldestFirst = members.toSorted(bySay);
  const oldest = oldestFirst[0]!;
  const { dialect, hasEnded } = memberOf(oldest);
  return {
    oldestFirst,
    oldest,
    ruling: oldestFirst.find((pod) => canRule(pod, dialect)) ?? oldest,
    waiting: oldestFirst.find((pod) => memberOf(pod).waits),
    goOn: hasEnded ? oldestFirst : oldestFirst.filter((pod) => !memberOf(pod).hasEnded),
  };
}

/** Whoever names a gang in another dialect joins it, and does not take it over. */
function canRule(pod: Pod, dialect: Dialect): boolean {
  const member = memberOf(pod);
  return member.hasQuorum && member.dialect === dialect;
}

/** Who has ended speaks where nobody goes on: the pods of an earlier run may still be there. */
export function bySay(one: Pod, other: Pod): number {
  return Number(memberOf(one).hasEnded) - Number(memberOf(other).hasEnded) || byAge(one, other);
}

/** The oldest first, which stays so whatever becomes of them. */
export function byAge(one: Pod, other: Pod): number {
  return memberOf(one).createdAt - memberOf(other).createdAt ||
    (one.metadata.name < other.metadata.name ? -1 : 1);
}
