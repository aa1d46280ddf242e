/**
 * The facts a relay reports about a gang group, as they are now. Policy reads nothing else.
 *
 * @module
 */

import type { ClusterMap } from "./cluster_map.ts";
import type { GangTimes } from "./gang_times.ts";
import type { CompositeFacts, Role, RoleCensus, Topology } from "./topology.ts";

/** Whether one member that can not be placed lets its siblings go (S3). */
export type Mode = "Strict" | "NonStrict";

/** Which members count towards a gang's quorum (S3). */
export type MatchPolicy = "once-satisfied" | "waiting-and-running" | "only-waiting";

/** A gang that would fall below its minimum leaves as a whole, or its members leave one by one. */
export type Disruption = "gang" | "member";

/** What a gang asks for, read from its labels, annotations or PodGroup. */
export interface GangSpec {
  readonly namespace: string;
  readonly name: string;
  /** UID of the PodGroup object, where there is one. */
  readonly uid?: string | undefined;
  /** Members that must be placed together, at least 1. */
  readonly minMember: number;
  readonly totalMember?: number | undefined;
  /** Absent: `Strict`. */
  readonly mode?: Mode | undefined;
  /** Longest wait from the first held member on, in seconds. Absent: the profile's. */
  readonly waitSeconds?: number | undefined;
  /** Absent: the profile's. */
  readonly matchPolicy?: MatchPolicy | undefined;
  /** The gang group as `namespace/name`, this gang included. Absent: a group of one. */
  readonly groups?: readonly string[] | undefined;
  /** Quantities by resource name. */
  readonly minResources?: Record<string, string> | undefined;
  /** The queue that a PodGroup of Volcano or KAI names: shown only. */
  readonly queue?: string | undefined;
  readonly priority?: number | undefined;
  /** What it loses where others take its room. Absent: `gang`. */
  readonly disruption?: Disruption | undefined;
  /** Where all of its members are to run together. */
  readonly topology?: Topology | undefined;
  /** Every role that is at the top of its path is needed, beside minMember. */
  readonly roles?: readonly Role[] | undefined;
  /** What its users say to a policy of the cluster's own (annotations `policy.muster.scheduling/<key>`): no stage of Muster reads it. */
  readonly attributes?: Attributes | undefined;
  /** RFC 3339 time of the PodGroup; or of the oldest member that waits for a node, or, where none does, of the oldest one. */
  readonly createdAt: string;
}

/** Texts by key. */
export type Attributes = Readonly<Record<string, string>>;

/** Amounts by resource name, in the scheduler's units: milli-CPUs, bytes, and whole numbers of everything else. */
export type Amounts = Readonly<Record<string, number>>;

/** A pod, by what never changes about it. */
export interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node?: string | undefined;
  /** The path of its role, where it has one. */
  readonly role?: string | undefined;
}

/** What a member is counted as; `running` is part of `bound` elsewhere. */
export type PodState = keyof Census | "held";

/** A member, for whoever looks. */
export interface GangPod {
  readonly name: string;
  readonly uid: string;
  readonly node?: string | undefined;
  /** Where it is held or is to go, while it has no node. */
  readonly planned?: string | undefined;
  /** Of the one or the other, where its gang declares a topology: `rack r1`. */
  readonly domain?: string | undefined;
  readonly state: PodState;
  readonly requests: Amounts;
}

/** Members by class; every member that is not held is in exactly one, but `running` is part of `bound`. */
export interface Census {
  readonly pending: number;
  /** Behind a scheduling gate that is not Muster's. */
  readonly gated: number;
  readonly bound: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
  /** Waiting for a scheduler that is not Muster's. Absent: none. */
  readonly foreign?: number | undefined;
}

/** The census of no members. */
export const noMembers = {
  pending: 0,
  gated: 0,
  bound: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  terminating: 0,
} satisfies Census;

/** Whom a member waits for that Muster can not place. */
export interface ForeignScheduler {
  readonly scheduler: string;
  /** The names of the scheduler beside the relay. */
  readonly served: readonly string[];
}

/** What the dialect reader found wrong with a gang that has members that wait; they do until it is mended. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** Members that had to leave, since the gang was whole last. */
export interface Preempted {
  readonly members: number;
  /** For whom: `gang default/high of higher priority`. */
  readonly by: string;
}

/** One gang now: its spec, its census, and the complete list of its open bind calls. */
export interface GangFacts {
  readonly gang: GangSpec;
  readonly census: Census;
  readonly held: readonly PodRef[];
  readonly problem?: Problem | undefined;
  /** The S3 timeout annotation is set: the gang is not scheduled any more. */
  readonly parked?: boolean | undefined;
  /** One of the members that wait for another scheduler. Absent: there is none. */
  readonly foreign?: ForeignScheduler & { readonly pod: string } | undefined;
  readonly preempted?: Preempted | undefined;
  /** Of each role of its spec that has no roles within it. */
  readonly roles?: readonly RoleCensus[] | undefined;
}

/**
 * Who speaks, and how new the facts are. `epoch` grows with every set of facts a relay takes, so that a delayed
 * call is recognised and a repeated one gets the answer it got before.
 */
export interface RelayStamp {
  readonly id: string;
  readonly epoch: number;
}

/** How much of a resource the nodes have for pods, and what bound and held pods ask of it, in the scheduler's units. */
export interface ResourceAmounts {
  readonly name: string;
  readonly allocatable: number;
  readonly bound: number;
  readonly held: number;
}

/** What has room now: a gang, or all pods of a namespace that are listed in no gang. */
export interface Running {
  readonly namespace: string;
  /** Absent: it is what is left of the namespace. */
  readonly name?: string | undefined;
  readonly attributes?: Attributes | undefined;
  /** Bound and held pods. */
  readonly pods: number;
  /** What they ask for together. */
  readonly requests: Amounts;
}

/** All gangs of a gang group; a lone gang is a group of one. */
export interface Group {
  readonly relay: RelayStamp;
  readonly gangs: readonly GangFacts[];
  /** Which of its gangs are needed; absent: all. */
  readonly composites?: readonly CompositeFacts[] | undefined;
  /** What it can do without and has no room now, as its relay plans: for what is said, no decision reads it. */
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** Of the whole cluster, for whoever looks: no decision reads them. */
  readonly resources?: readonly ResourceAmounts[] | undefined;
  /** The same. Absent: it is as it was told last, or nobody is told. */
  readonly map?: ClusterMap | undefined;
  /** The first members of each gang, by its `namespace/name`, for whoever looks: no decision reads them. */
  readonly pods?: Readonly<Record<string, readonly GangPod[]>> | undefined;
  /** When each gang ran and is going to, by its `namespace/name`: no decision reads them. */
  readonly times?: Readonly<Record<string, GangTimes>> | undefined;
}

/** Why not even nodes without other pods could take the members that are needed; amounts in the scheduler's units. */
export interface Impossible {
  /**
   * What is too large: one member for each node; all members for each domain in which they are to be together; all members, or
   * the gang's minResources, for all nodes.
   */
  readonly scope: "member" | "domain" | "gang" | "minResources";
  /** Absent where it is no resource alone: the amounts are members then. */
  readonly resource?: string | undefined;
  readonly asks: number;
  readonly largest: number;
}

/** Where a topology is required and no domain has room: the domains with the most of it, the best first. */
export interface DomainFit {
  /** The label that members are to share the value of. */
  readonly key: string;
  /** So many members need room in one domain. */
  readonly of: number;
  /** By the values of their labels, the widest first: `b1/r2`; and how many of the members have room there. */
  readonly best: readonly { readonly name: string; readonly members: number }[];
}

/** How many of the members that still need a node fit on the cluster now. */
export interface Fit {
  readonly members: number;
  readonly of: number;
  /** Further members that would fit if pods of lower priority left. */
  readonly byPreemption?: number | undefined;
  /** Pods of a lower priority that leave for the group, and the first of them as `namespace/name`. */
  readonly leaving?: { readonly pods: number; readonly first: readonly string[] } | undefined;
  /** The resource that is short. */
  readonly shortOf?: string | undefined;
  /** It is the gang's minResources that are not there. */
  readonly isForMinResources?: boolean | undefined;
  /** Of that resource, and how many further members would fit if it were there. */
  readonly minResources?:
    | { readonly asks: number; readonly free: number; readonly members: number }
    | undefined;
  /** Absent: it is not the topology that keeps it from starting. */
  readonly domains?: DomainFit | undefined;
  /** Absent: room may come. */
  readonly impossible?: Impossible | undefined;
}

/** A part of a gang group that is not among those that the group starts with. */
export interface LeftOut {
  /** A gang's `namespace/name`, or the name of a composite. */
  readonly part: string;
  /** Absent: it is not room that it lacks. */
  readonly fit?: Fit | undefined;
}

/** By `namespace/name`, the largest minMember that a gang was whole with, as long as some of its members are left. */
export type Whole = Readonly<Record<string, number>>;

/** A gang that the queue protects from being passed. */
export interface Ahead {
  readonly gang: string;
  /** RFC 3339 time since when it is protected. */
  readonly since: string;
}

/** Why a policy of the cluster's own keeps a gang group waiting, in its own words. */
export interface PolicyWord {
  /** What it calls the reason: `BudgetUsedUp`. */
  readonly reason?: string | undefined;
  readonly message: string;
  readonly askAgainSeconds: number;
}

/** A member that the scheduler's own plugins refused, in the scheduler's words. */
export interface MemberFailure {
  readonly uid: string;
  readonly message: string;
  readonly name?: string | undefined;
  /** `namespace/name` of its gang; absent in a group of one. */
  readonly gang?: string | undefined;
  /** The path of its role, where it has one. */
  readonly role?: string | undefined;
}

/** Why a member is not held any more. */
export type LossCause = "aborted" | "bind-failed" | "deleted" | "node-lost" | "gone";

/** A member that is not held any more. */
export interface Loss {
  readonly pod: PodRef;
  readonly cause: LossCause;
  /** `namespace/name` of its gang; absent in a group of one. */
  readonly gang?: string | undefined;
  /** For whom it was let go, where it was: `pod default/high of higher priority`. */
  readonly by?: string | undefined;
}

/** Whether a member waits, for a node or behind a gate: if none does, there is nothing to be said of what keeps it. */
export function someWait({ census, held }: Pick<GangFacts, "census" | "held">): boolean {
  return census.pending + census.gated + held.length > 0;
}

/** `namespace/name`, as gang groups are written (S3). */
export function gangId(gang: Pick<GangSpec, "namespace" | "name">): string {
  return `${gang.namespace}/${gang.name}`;
}

/** The canonical name of a gang's group: its gangs sorted and joined by commas (S3); a comma in a bad name joins nothing. */
export function groupId(gang: GangSpec): string {
  const own = gangId(gang);
  if (!gang.groups) return escaped(own);
  const gangs = new Set([...gang.groups, own]);
  return [...gangs].map(escaped).sort().join(",");
}

/** The canonical name of the group that facts are about: of all gangs that it names, reported or not. */
export function groupName({ gangs }: Group): string {
  const groups = gangs.flatMap(({ gang }) => [...gang.groups ?? [], gangId(gang)]);
  return groupId({ ...gangs[0]!.gang, groups });
}

function escaped(id: string): string {
  return id.replaceAll(",", "%2C");
}
