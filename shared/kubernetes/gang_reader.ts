/**
 * Reads a gang's spec from its members: lenient where the seeds are, never guessing a quorum.
 *
 * @module
 */
import type { GangSpec, Problem } from "../core/facts.ts";
import { type Membership, membershipOf } from "./dialect.ts";
import type { Pod } from "./types.ts";

/** A member whose declaration is not the one that rules. */
export interface Warning {
  readonly pod: Pod;
  readonly message: string;
}

/** A gang as its members declare it. */
export interface ReadGang {
  readonly spec: GangSpec;
  /** Why the declaration is not usable; the spec's minMember is then the number of members. */
  readonly problem?: Problem | undefined;
  readonly warnings: readonly Warning[];
}

/** The spec of a gang: the oldest member with a valid quorum wins (DESIGN section 4). Members must not be empty. */
export function readGang(members: readonly Pod[]): ReadGang {
  const oldestFirst = members.toSorted(byAge);
  const oldest = oldestFirst[0]!;
  const { namespace, name } = membershipOf(oldest)!;
  const ruling = oldestFirst.find((pod) => quorumOf(pod) !== undefined);
  const minMember = ruling ? quorumOf(ruling)! : members.length;
  const priorities = new Set(members.map(priorityOf));
  const spec: GangSpec = {
    namespace,
    name,
    minMember,
    priority: Math.max(...priorities),
    createdAt: oldest.metadata.creationTimestamp ?? new Date(0).toISOString(),
  };
  const problem = quorumProblem(oldest, ruling) ?? priorityProblem(oldestFirst, priorities);
  return {
    spec,
    ...(problem && { problem }),
    warnings: ruling ? disagreeing(oldestFirst, ruling) : [],
  };
}

function quorumProblem(oldest: Pod, ruling: Pod | undefined): Problem | undefined {
  if (ruling) return undefined;
  const { dialect, namespace, name } = membershipOf(oldest)!;
  const written = dialect.quorum(oldest);
  const is = written === undefined ? "is missing" : `is "${written}"`;
  return {
    reason: "InvalidMinMember",
    message:
      `gang ${namespace}/${name} has no usable quorum: ${dialect.quorumField} of pod ${oldest.metadata.name} ${is}, ` +
      "but must be a whole number of at least 1",
  };
}

/** S1: members of one gang have the same priority. */
function priorityProblem(
  members: readonly Pod[],
  priorities: ReadonlySet<number>,
): Problem | undefined {
  if (priorities.size === 1) return undefined;
  const { namespace, name } = membershipOf(members[0]!)!;
  const [first] = members;
  const other = members.find((pod) => priorityOf(pod) !== priorityOf(first!))!;
  return {
    reason: "PriorityConflict",
    message: `gang ${namespace}/${name} has members of different priorities: pod ${
      first!.metadata.name
    } has ${priorityOf(first!)}, pod ${other.metadata.name} has ${
      priorityOf(other)
    }; give all of them the same`,
  };
}

function disagreeing(members: readonly Pod[], ruling: Pod): Warning[] {
  const rules = declaration(ruling);
  return members.filter((pod) => declaration(pod) !== rules).map((pod) => ({
    pod,
    message: `pod ${pod.metadata.name} declares its gang as ${
      declaration(pod)
    }, but the older pod ${ruling.metadata.name} rules with ${rules}`,
  }));
}

function declaration(pod: Pod): string {
  const { dialect } = membershipOf(pod) as Membership;
  return `${dialect.quorumField} "${dialect.quorum(pod) ?? ""}"`;
}

function quorumOf(pod: Pod): number | undefined {
  const written = membershipOf(pod)?.dialect.quorum(pod)?.trim() ?? "";
  const number = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  return number >= 1 ? number : undefined;
}

function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0;
}

function byAge(a: Pod, b: Pod): number {
  return Date.parse(a.metadata.creationTimestamp ?? "") -
      Date.parse(b.metadata.creationTimestamp ?? "") ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
}
