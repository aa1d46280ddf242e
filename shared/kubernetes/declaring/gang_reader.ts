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
import { type ReadAttributes, readAttributes } from "./declared_attributes.ts";
import { disruptionDeclaration, disruptionOf } from "./declared_disruption.ts";
import {
  deadlineOf,
  declaredRunTime,
  durationDeclaration,
  durationOf,
  longestWorkloadOf,
} from "./declared_run_time.ts";
import { type ReadRoles, readRoles } from "./declared_roles.ts";
import { type ReadTopology, readTopology, topologyDeclaration } from "./declared_topology.ts";
import {
  type GangInQuestion,
  nameProblem,
  partsProblem,
  podGroupProblem,
  priorityProblem,
  quorumProblem,
} from "./gang_problem.ts";
import { disagreeing, malformed, tooFew, type Warning } from "./gang_warnings.ts";
import { declaresSame, memberOf, saysAll, valueOf } from "./member.ts";
import { mistypedKeys } from "./mistyped_keys.ts";
import { nativePodGroup, type PodGroup, type PodGroupKind } from "./pod_group.ts";
import { roleSayings } from "./role_texts.ts";
import { sizeProblem } from "./size_problem.ts";
import { type Speakers, speakersOf } from "./speakers.ts";
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
  /** It is known that all members that go on say the same, and each says all that there is to say. */
  readonly isUniform: boolean;
  /** The kinds of PodGroup that its members may mean. */
  readonly podGroupKinds: readonly PodGroupKind[];
  /** The path of a member's role, where the gang has roles; undefined: this one has none. */
  readonly roleOf?: (pod: Pod) => string | undefined;
  /** The member whose declaration rules, the oldest one, and the oldest of those that wait for a node; undefined: none does. */
  readonly from: {
    readonly ruling: Pod;
    readonly oldest: Pod;
    readonly waiting: Pod | undefined;
  };
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
export function readGang(members: readonly Pod[], referents: Referents = {}): ReadGang {
  const reading = readingOf(members, referents);
  const { gang: { dialect, podGroup }, speakers: { oldest, ruling, waiting }, tree, parts } =
    reading;
  const unusable = unusableIn(reading);
  const problem = unusable ?? problemIn(reading);
  const runTime = runTimeOf(reading, referents);
  return {
    spec: specOf(reading, { isUsable: !unusable }),
    ...(problem && { problem }),
    ...(runTime && { runTime }),
    warnings: warningsOf(members, reading),
    ...(podGroup && { podGroup }),
    ...(tree.composite && { composite: tree.composite }),
    ...(tree.isMalformed && { malformedTree: tree.problem?.message }),
    ...(tree.runsIn && { runsIn: tree.runsIn }),
    ...(tree.around && { around: tree.around }),
    isUniform: !problem && parts.roles.length === 0 && areAlike(reading.speakers, referents),
    podGroupKinds: dialect.podGroups,
    ...(parts.roles.length > 0 && { roleOf: parts.roleOf }),
    from: { ruling, oldest, waiting },
  };
}

/** What declares a gang beside its pods. */
interface Origin extends Pick<GangInQuestion, "kind" | "podGroup"> {
  readonly tree: ReadComposite;
}

/** A declaration as far as it is read. */
interface Reading {
  readonly gang: GangInQuestion;
  readonly speakers: Speakers;
  readonly tree: ReadComposite;
  readonly declaration: Declaration;
  readonly parts: ReadRoles;
  readonly place: ReadTopology;
  readonly said: ReadAttributes;
  /** Undefined: there is no quorum that can be used. */
  readonly minMember: number | undefined;
  readonly groups: readonly string[] | undefined;
}

function readingOf(members: readonly Pod[], referents: Referents): Reading {
  const speakers = speakersOf(members);
  const { oldestFirst, oldest, ruling } = speakers;
  const { namespace, name, dialect } = memberOf(oldest);
  const origin = originOf(oldest, referents);
  const { kind, podGroup, tree } = origin;
  const declaration = declarationOf(ruling, origin);
  const gang = { id: `${namespace}/${name}`, name, oldest, dialect, kind, podGroup };
  const parts = readRoles({
    members: oldestFirst.map((pod) => memberOf(pod).roles),
    noted: podGroup ? roleSayings(podGroup.metadata) : [],
    podGroup: podGroup && kind?.roles?.(podGroup) || [],
  });
  return {
    gang,
    speakers,
    tree,
    declaration,
    parts,
    place: readTopology(declaration, referents.levels ?? noLevels),
    said: readAttributes([...(podGroup ? [podGroup.metadata] : []), ruling.metadata]),
    minMember: minMemberOf(declaration, membersOfRoles(parts.roles)),
    groups: tree.groups ?? groupOf(declaration, gang.id),
  };
}

function originOf(
  oldest: Pod,
  { findPodGroup = () => undefined, hierarchyOf = () => noHierarchy }: Referents,
): Origin {
  const { namespace, name, dialect } = memberOf(oldest);
  const kind = dialect.podGroups.find((kind) => findPodGroup(kind, namespace, name));
  const podGroup = kind && findPodGroup(kind, namespace, name);
  const isInTree = podGroup && kind === nativePodGroup;
  return { kind, podGroup, tree: isInTree ? readComposite(podGroup, hierarchyOf(namespace)) : {} };
}

/** What is said nearer to the pods wins. */
function declarationOf(ruling: Pod, { kind, podGroup, tree }: Origin): Declaration {
  const own = defined(memberOf(ruling).declaration);
  if (!kind || !podGroup) return own;
  const { metadata } = podGroup;
  return {
    ...defined(kind.declaration(podGroup)),
    ...(tree.disruption && { disruption: tree.disruption }),
    ...topologyDeclaration(metadata),
    ...disruptionDeclaration(metadata),
    ...durationDeclaration(metadata),
    ...own,
  };
}

/** A name, or lists, that are not told either. */
function unusableIn({ gang, declaration, groups }: Reading): Problem | undefined {
  return nameProblem(gang) ?? sizeProblem(declaration, { id: gang.id, names: groups });
}

function problemIn(reading: Reading): Problem | undefined {
  const { gang, speakers, tree, declaration, minMember, parts, place } = reading;
  return podGroupProblem(gang, valueOf(declaration.minMember, countOf)) ??
    (minMember === undefined ? quorumProblem(gang, declaration) : undefined) ??
    priorityProblem(gang, speakers.goOn) ?? partsProblem(gang, { parts, place }) ??
    tree.problem;
}

function specOf(reading: Reading, { isUsable }: { isUsable: boolean }): GangSpec {
  const { declaration, minMember, groups, parts, place, said, gang: { podGroup } } = reading;
  const { oldest, oldestFirst, goOn } = reading.speakers;
  const { namespace, name } = memberOf(oldest);
  return {
    namespace,
    name,
    ...(podGroup && { uid: podGroup.metadata.uid }),
    minMember: minMember ?? oldestFirst.length,
    ...optionalFields(declaration, minMember),
    ...(isUsable &&
      defined({ groups, minResources: declaration.minResources, queue: declaration.queue })),
    ...(place.topology && { topology: place.topology }),
    ...(parts.roles.length > 0 && { roles: parts.roles }),
    ...(said.attributes && { attributes: said.attributes }),
    // No member goes ahead, or has others evicted, by the priority of another.
    priority: Math.min(...goOn.map((pod) => memberOf(pod).priority)),
    createdAt: createdAtOf({ podGroup, from: reading.speakers }),
  };
}

function runTimeOf(
  { declaration, speakers, gang: { podGroup } }: Reading,
  { jobDeadlineOf }: Referents,
): RunTime | undefined {
  const ofWorkload = podGroup && longestWorkloadOf(podGroup.metadata);
  return declaredRunTime({
    expected: valueOf(declaration.expectedDuration, durationOf),
    longest: speakers.oldestFirst.map((pod) =>
      deadlineOf(pod, jobDeadlineOf?.(pod)) ?? memberOf(pod).longestWorkload ?? ofWorkload
    ),
  });
}

/** Those about the declaration are told of the member that rules. */
function warningsOf(members: readonly Pod[], reading: Reading): Warning[] {
  const { gang: { dialect, podGroup }, tree, declaration, minMember, place, said, parts } = reading;
  const { ruling, goOn } = reading.speakers;
  const neverWhole = dialect.neverWhole?.(members, minMember ?? 0);
  const messages = [
    ...malformed(declaration),
    ...tooFew(declaration, minMember ?? 0),
    ...[...place.ignored, ...said.ignored].map((text) => `${text}: it is not used`),
    ...mistypedKeys([...podGroup ? [podGroup.metadata] : [], ruling.metadata]),
    ...(neverWhole === undefined ? [] : [neverWhole]),
    ...tree.warnings ?? [],
  ];
  return [
    ...messages.map((message) => ({ pod: ruling, message })),
    ...parts.warnings,
    ...(minMember === undefined ? [] : disagreeing(goOn, ruling)),
  ];
}

/** When it was created, RFC 3339. A pod that has a node is as old as its owner likes: it puts no gang forward that waits. */
export function createdAtOf(
  { podGroup, from }: {
    podGroup: PodGroup | undefined;
    from: Pick<ReadGang["from"], "oldest" | "waiting">;
  },
): string {
  const { metadata } = podGroup ?? from.waiting ?? from.oldest;
  return metadata.creationTimestamp ?? from.oldest.metadata.creationTimestamp ??
    new Date(0).toISOString();
}

function areAlike({ goOn, ruling }: Speakers, { jobDeadlineOf }: Referents): boolean {
  return saysAll(ruling) &&
    goOn.every((pod) =>
      declaresSame(ruling, pod) && jobDeadlineOf?.(pod) === jobDeadlineOf?.(ruling)
    );
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
