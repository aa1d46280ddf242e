/**
 * Reads a gang's spec from its members and its PodGroup: lenient where the seeds are, never guessing a quorum.
 *
 * @module
 */
import type { GangSpec, Problem } from "../../core/gang/facts.ts";
import type { RunTime } from "../../core/gang/run_time.ts";
import type { RunningTree } from "../../core/plan/running.ts";
import type { Composite, Topology } from "../../core/gang/topology.ts";
import { membersOfRoles } from "../../core/gang/roles.ts";
import {
  type Hierarchy,
  noHierarchy,
  type ReadComposite,
  readComposite,
} from "./composite_pod_group.ts";
import {
  countOf,
  type Declaration,
  defined,
  groupsOf,
  matchPolicyOf,
  modeOf,
  waitOf,
} from "./declaration.ts";
import { readAttributes } from "./declared_attributes.ts";
import { disruptionDeclaration, disruptionOf } from "./declared_disruption.ts";
import {
  deadlineOf,
  declaredRunTime,
  durationDeclaration,
  durationOf,
  longestWorkloadOf,
} from "./declared_run_time.ts";
import { readRoles } from "./declared_roles.ts";
import { readTopology, topologyDeclaration } from "./declared_topology.ts";
import type { Dialect } from "./dialect.ts";
import {
  nameProblem,
  partsProblem,
  podGroupProblem,
  priorityProblem,
  quorumProblem,
} from "./gang_problem.ts";
import { disagreeing, malformed, tooFew, type Warning } from "./gang_warnings.ts";
import { declaresSame, memberOf, valueOf } from "./member.ts";
import { nativePodGroup, type PodGroup, type PodGroupKind } from "./pod_group.ts";
import { roleSayings } from "./role_texts.ts";
import { sizeProblem } from "./size_problem.ts";
import { noLevels, type TopologyLevel } from "./topology_level.ts";
import type { Pod } from "../types.ts";

/** A gang as it is declared. */
export interface ReadGang {
  readonly spec: GangSpec;
  /** Why the declaration is not usable; the spec's minMember is then the number of members. */
  readonly problem?: Problem | undefined;
  /** What it says of how long it runs; undefined: nothing that can be used. */
  readonly runTime?: RunTime | undefined;
  readonly warnings: readonly Warning[];
  /** The PodGroup that declares it, where there is one. */
  readonly podGroup?: PodGroup | undefined;
  /** Which gangs of its group are needed, and where; absent: all of them, anywhere. */
  readonly composite?: Composite | undefined;
  /** What is wrong with the tree that it is in; absent where its problem passes when what is missing comes. */
  readonly malformedTree?: string | undefined;
  /** What becomes of the gangs of its group when some of them have to leave; absent: nothing. */
  readonly runsIn?: RunningTree | undefined;
  /** Topologies of more than the gang, the nearest first. */
  readonly around?: readonly Topology[] | undefined;
  /** All members that go on say the same, and each says all that there is to say. */
  readonly isUniform: boolean;
  /** The kinds of PodGroup that its members may mean. */
  readonly podGroupKinds: readonly PodGroupKind[];
  /** The path of a member's role, where the gang has roles; undefined: this one has none. */
  readonly roleOf?: (pod: Pod) => string | undefined;
  /** The member whose declaration rules, and the oldest one. */
  readonly from: { readonly ruling: Pod; readonly oldest: Pod };
}

/** Finds the PodGroup of a kind by namespace and name. */
export type PodGroupLookup = (
  kind: PodGroupKind,
  namespace: string,
  name: string,
) => PodGroup | undefined;

/** What a declaration points to. */
export interface Referents {
  /** After so many seconds the Job that controls a pod ends it; absent: no Job does. */
  readonly jobDeadlineOf?: ((pod: Pod) => number | undefined) | undefined;
  readonly findPodGroup?: PodGroupLookup | undefined;
  /** CompositePodGroups of a namespace. */
  readonly hierarchyOf?: ((namespace: string) => Hierarchy) | undefined;
  /** Absent: none are named. */
  readonly levels?: readonly TopologyLevel[] | undefined;
}

/**
 * The spec of a gang. Pods win over the PodGroup (S3); among pods the oldest one with a valid quorum, in the dialect of
 * the oldest one, or the oldest one where the PodGroup has the quorum; those that have ended come last. Members must not be empty.
 */
export function readGang(
  members: readonly Pod[],
  {
    findPodGroup = () => undefined,
    hierarchyOf = () => noHierarchy,
    jobDeadlineOf,
    levels = noLevels,
  }: Referents = {},
): ReadGang {
  const oldestFirst = members.toSorted(bySay);
  const oldest = oldestFirst[0]!;
  const goOn = memberOf(oldest).hasEnded
    ? oldestFirst
    : oldestFirst.filter((pod) => !memberOf(pod).hasEnded);
  const { namespace, name, dialect } = memberOf(oldest);
  const kind = dialect.podGroups.find((kind) => findPodGroup(kind, namespace, name));
  const podGroup = kind && findPodGroup(kind, namespace, name);
  const ruling = oldestFirst.find((pod) => canRule(pod, dialect)) ?? oldest;
  const own = memberOf(ruling).declaration;
  const tree: ReadComposite = podGroup && kind === nativePodGroup
    ? readComposite(podGroup, hierarchyOf(namespace))
    : {};
  const declaration = {
    ...(podGroup && defined(kind.declaration(podGroup))),
    ...(tree.disruption && { disruption: tree.disruption }),
    ...(podGroup && topologyDeclaration(podGroup.metadata)),
    ...(podGroup && disruptionDeclaration(podGroup.metadata)),
    ...(podGroup && durationDeclaration(podGroup.metadata)),
    ...defined(own),
  };
  const gang = { id: `${namespace}/${name}`, name, oldest, dialect, kind, podGroup };
  const parts = readRoles({
    members: oldestFirst.map((pod) => memberOf(pod).roles),
    noted: podGroup ? roleSayings(podGroup.metadata) : [],
    podGroup: podGroup && kind.roles?.(podGroup) || [],
  });
  const place = readTopology(declaration, levels);
  const said = readAttributes([
    ...(podGroup ? [podGroup.metadata] : []),
    ruling.metadata,
  ]);
  const inRoles = membersOfRoles(parts.roles);
  const minMember = minMemberOf(declaration, inRoles);
  const groups = tree.groups ?? groupOf(declaration, gang.id);
  const badName = nameProblem(gang);
  const badSize = badName ?? sizeProblem(declaration, { id: gang.id, names: groups });
  const problem = badSize ?? podGroupProblem(gang, valueOf(declaration.minMember, countOf)) ??
    (minMember === undefined ? quorumProblem(gang, declaration) : undefined) ??
    priorityProblem(gang, goOn) ?? partsProblem(gang, { parts, place }) ??
    tree.problem;
  const ofWorkload = podGroup && longestWorkloadOf(podGroup.metadata);
  const runTime = declaredRunTime({
    expected: valueOf(declaration.expectedDuration, durationOf),
    longest: oldestFirst.map((pod) =>
      deadlineOf(pod, jobDeadlineOf?.(pod)) ?? memberOf(pod).longestWorkload ?? ofWorkload
    ),
  });
  const created = podGroup?.metadata.creationTimestamp ?? oldest.metadata.creationTimestamp;
  const isUniform = !problem && parts.roles.length === 0 && saysAll(ruling) &&
    goOn.every((pod) =>
      declaresSame(ruling, pod) && jobDeadlineOf?.(pod) === jobDeadlineOf?.(ruling)
    );
  return {
    spec: {
      namespace,
      name,
      ...(podGroup && { uid: podGroup.metadata.uid }),
      minMember: minMember ?? members.length,
      ...optionalFields(declaration, minMember),
      // What can not be used is not told either.
      ...(!badSize &&
        defined({ groups, minResources: declaration.minResources, queue: declaration.queue })),
      ...(place.topology && { topology: place.topology }),
      ...(parts.roles.length > 0 && { roles: parts.roles }),
      ...(said.attributes && { attributes: said.attributes }),
      // No member goes ahead, or has others evicted, by the priority of another.
      priority: Math.min(...goOn.map((pod) => memberOf(pod).priority)),
      createdAt: created ?? new Date(0).toISOString(),
    },
    ...(problem && { problem }),
    ...(runTime && { runTime }),
    warnings: [
      ...[
        ...malformed(declaration),
        ...tooFew(declaration, minMember ?? 0),
        ...[...place.ignored, ...said.ignored].map((text) => `${text}: it is not used`),
        dialect.neverWhole?.(members, minMember ?? 0) ?? [],
        tree.warnings ?? [],
      ].flat().map((message) => ({ pod: ruling, message })),
      ...parts.warnings,
      ...(minMember === undefined ? [] : disagreeing(goOn, ruling)),
    ],
    ...(podGroup && { podGroup }),
    ...(tree.composite && { composite: tree.composite }),
    ...(tree.isMalformed && { malformedTree: tree.problem?.message }),
    ...(tree.runsIn && { runsIn: tree.runsIn }),
    ...(tree.around && { around: tree.around }),
    isUniform,
    podGroupKinds: dialect.podGroups,
    ...(parts.roles.length > 0 && { roleOf: parts.roleOf }),
    from: { ruling, oldest },
  };
}

/**
 * Whether a gang is the same with a member and without it, however many there are: it says what the ruling one says, nothing of
 * roles, and has less of a say.
 */
export function isOneOfMany(pod: Pod, { problem, spec, from }: ReadGang): boolean {
  const { ruling, oldest } = from;
  if (problem || spec.roles || !saysAll(ruling)) return false;
  const isAfter = (other: Pod) => other.metadata.uid !== pod.metadata.uid && bySay(other, pod) < 0;
  return isAfter(ruling) && isAfter(oldest) && declaresSame(ruling, pod);
}

/**
 * The same gang where its ruling member does not go on, and all others that do say what it said; undefined: it is to be read. That
 * costs a look at each member, and not more, since a thousand may end at once.
 */
export function passedOn(read: ReadGang, members: Iterable<Pod>): ReadGang | undefined {
  if (!read.isUniform) return undefined;
  let next: Pod | undefined;
  for (const pod of members) if (!next || bySay(pod, next) < 0) next = pod;
  if (!next || memberOf(next).hasEnded) return undefined;
  const { spec, podGroup } = read;
  const created = podGroup?.metadata.creationTimestamp ?? next.metadata.creationTimestamp;
  return {
    ...read,
    spec: { ...spec, createdAt: created ?? spec.createdAt },
    from: { ruling: next, oldest: next },
  };
}

/** Whether a member alone says all that there is to say. */
function saysAll(pod: Pod): boolean {
  const { hasQuorum, dialect, roles } = memberOf(pod);
  return hasQuorum && !dialect.neverWhole && !roles.role && roles.sayings.length === 0;
}

/** Whoever names a gang in another dialect joins it, and does not take it over. */
function canRule(pod: Pod, dialect: Dialect): boolean {
  const member = memberOf(pod);
  return member.hasQuorum && member.dialect === dialect;
}

/** Roles alone are a quorum too (KAI and Volcano write 0 then), and none is less than what they ask for together. */
function minMemberOf({ minMember }: Declaration, inRoles: number): number | undefined {
  if (inRoles > 0 && (!minMember || minMember.text === "0")) return inRoles;
  if (!minMember) return undefined;
  const written = valueOf(minMember, countOf);
  return written && Math.max(written, inRoles);
}

/** What everything but the quorum means; a malformed value takes its default. */
function optionalFields(
  declaration: Declaration,
  minMember: number | undefined,
): Partial<GangSpec> {
  const total = valueOf(declaration.totalMember, countOf);
  return defined({
    totalMember: total && Math.max(total, minMember ?? 0),
    mode: valueOf(declaration.mode, modeOf),
    waitSeconds: valueOf(declaration.wait, waitOf),
    matchPolicy: valueOf(declaration.matchPolicy, matchPolicyOf),
    disruption: valueOf(declaration.disruption, disruptionOf),
  });
}

/** The whole gang group, where one is declared. */
function groupOf(declaration: Declaration, id: string): string[] | undefined {
  const groups = valueOf(declaration.groups, groupsOf) ?? [];
  return groups.length > 0 ? [...new Set([...groups, id])].sort() : undefined;
}

/** Who has ended speaks where nobody goes on: the pods of an earlier run may still be there. */
function bySay(one: Pod, other: Pod): number {
  const [a, b] = [memberOf(one), memberOf(other)];
  return Number(a.hasEnded) - Number(b.hasEnded) || a.createdAt - b.createdAt ||
    (one.metadata.name < other.metadata.name ? -1 : 1);
}
