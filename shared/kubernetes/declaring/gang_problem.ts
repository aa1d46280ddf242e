/**
 * Why a gang's declaration can not be used, and what has to be mended.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { isGangName, limits } from "../../core/gang/limits.ts";
import { quoted } from "../../core/words/text.ts";
import type { Declaration } from "./declaration.ts";
import type { ReadRoles } from "./declared_roles.ts";
import type { ReadTopology } from "./declared_topology.ts";
import type { Dialect } from "./dialect.ts";
import { memberOf } from "./member.ts";
import type { PodGroup, PodGroupKind } from "./pod_group.ts";
import type { Pod } from "../types.ts";

/** A gang, by what its problems name. */
export interface GangInQuestion {
  readonly id: string;
  readonly name: string;
  readonly oldest: Pod;
  readonly dialect: Dialect;
  readonly kind: PodGroupKind | undefined;
  readonly podGroup: PodGroup | undefined;
}

const rfc1123 = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** S3: the name of a gang is an RFC 1123 name; where labels name it, any label value will do. */
export function nameProblem({ id, name, oldest, dialect }: GangInQuestion): Problem | undefined {
  const isStrict = dialect.name === "koordinator";
  if (isGangName(name) && (!isStrict || rfc1123.test(name))) return undefined;
  const letters = isStrict
    ? "lower-case letters, digits, dashes and dots"
    : "letters, digits, dashes, underscores and dots";
  const must = name.length > limits.gangName
    ? `${limits.gangName} letters at most`
    : `${letters} only, a letter or digit at both ends`;
  return {
    reason: "InvalidName",
    message: `gang ${id} of pod ${oldest.metadata.name} has a name that can not be ` +
      `used: write it with ${must}`,
  };
}

/** S3, S4: pods whose PodGroup does not exist yet are collected and not scheduled. */
export function podGroupProblem(
  { id, name, dialect, podGroup }: GangInQuestion,
  minMember: number | undefined,
): Problem | undefined {
  if (dialect.podGroups.length === 0 || podGroup || minMember !== undefined) return undefined;
  const groups = dialect.podGroups.map(({ group }) => group).join(" or ");
  return {
    reason: "PodGroupNotFound",
    message: `gang ${id} waits for its PodGroup: create one named "${name}", of ${groups}`,
  };
}

/** A place or a role that can not be read is not guessed either. */
export function partsProblem(
  { id }: GangInQuestion,
  { parts, place }: { parts: ReadRoles; place: ReadTopology },
): Problem | undefined {
  if (parts.unusable !== undefined) {
    const message = `gang ${id} has roles that can not be used: ${parts.unusable}`;
    return { reason: "InvalidRoles", message };
  }
  if (place.unusable === undefined) return undefined;
  const message = `gang ${id} has a topology that can not be used: ${place.unusable}`;
  return { reason: "InvalidTopology", message };
}

/** Without a quorum nobody knows when the gang is whole. */
export function quorumProblem(
  { id, oldest, dialect, kind, podGroup }: GangInQuestion,
  declaration: Declaration,
): Problem {
  const written = declaration.minMember;
  const field = written?.field ?? kind?.quorumField ?? dialect.quorumField;
  const owner = podGroup ? `PodGroup ${podGroup.metadata.name}` : `pod ${oldest.metadata.name}`;
  const is = written ? `is ${quoted(written.text)}` : "is missing";
  return {
    reason: "InvalidMinMember",
    message: `gang ${id} has no usable quorum: ${field} of ${owner} ${is}, ` +
      "but must be a whole number of at least 1",
  };
}

/** S1: members of one gang have the same priority; what creates a PodGroup may give a launcher its own. */
export function priorityProblem(
  { id, dialect }: GangInQuestion,
  members: readonly Pod[],
): Problem | undefined {
  if (dialect.podGroups.length > 0) return undefined;
  const priorityOf = (pod: Pod) => memberOf(pod).priority;
  const first = members[0]!;
  const other = members.find((pod) => priorityOf(pod) !== priorityOf(first));
  if (!other) return undefined;
  const [one, another] = [first, other].map((pod) =>
    `pod ${pod.metadata.name} has ${priorityOf(pod)}`
  );
  return {
    reason: "PriorityConflict",
    message: `gang ${id} has members of different priorities: ${one}, ${another}; ` +
      "give all of them the same",
  };
}
