/**
 * The census of a gang's roles, from its pods as they are.
 *
 * @module
 */
import { leavesOf, roleTree } from "../../core/gang/roles.ts";
import type { PodRef } from "../../core/gang/facts.ts";
import type { Role, RoleCensus } from "../../core/gang/topology.ts";
import type { Pod } from "../types.ts";
import { type Counted, memberClassOf } from "./census.ts";

/** The members of a gang: those that are held, and the rest. */
interface Members {
  readonly held: readonly PodRef[];
  readonly rest: readonly Counted[];
  readonly roleOf: (pod: Pod) => string | undefined;
}

/** Counts the members of each role that has no roles within it. */
export function takeRoleCensus(
  roles: readonly Role[],
  { held, rest, roleOf }: Members,
): RoleCensus[] {
  const leaves = leavesOf(roleTree(roles)).map(({ name }) => name);
  const counts = new Map(leaves.map((name) => [name, none()]));
  for (const { role } of held) {
    const census = counts.get(role ?? "");
    if (census) census.held++;
  }
  for (const member of rest) {
    const census = counts.get(roleOf(member.pod) ?? "");
    const memberClass = memberClassOf(member);
    if (census && isCounted(memberClass)) census[memberClass]++;
  }
  return [...counts].map(([name, count]) => ({ name, ...count }));
}

function none() {
  return { pending: 0, gated: 0, bound: 0, succeeded: 0, held: 0 };
}

type CountedClass = Exclude<keyof RoleCensus, "name" | "held">;

function isCounted(memberClass: string): memberClass is CountedClass {
  return ["pending", "gated", "bound", "succeeded"].includes(memberClass);
}
