/**
 * The facts of a gang group, taken from a copy of the cluster.
 *
 * @module
 */
import { Carried } from "../core/gang/carried.ts";
import type { GatedMember, Snapshot, UnschedulableMember } from "../core/attend/snapshot.ts";
import { compositeFacts } from "../core/gang/composites.ts";
import { type GangFacts, type Group, type Problem, someWait } from "../core/gang/facts.ts";
import { classOf } from "../kubernetes/counting/census.ts";
import { takeRoleCensus } from "../kubernetes/counting/role_census.ts";
import { podCondition } from "../kubernetes/pod_condition.ts";
import { fromScheduler } from "../kubernetes/status/sentence.ts";
import { listed, named } from "../core/words/text.ts";
import { alikeOn } from "./alike_on.ts";
import type { Cluster } from "./cluster.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { untriedFrom } from "./untried.ts";

/** What a snapshot is taken of. */
export interface SnapshotOf {
  readonly relay: Group["relay"];
  readonly cluster: Pick<Cluster, "gangs" | "room">;
  /** Nodes that have room for a kind that the scheduler takes on none; absent: none are known. */
  readonly untaken?: (group: GangGroup, kind: string) => readonly string[];
}

/** The facts now. */
export function snapshotOf(group: GangGroup, { relay, cluster, untaken }: SnapshotOf): Snapshot {
  const gangs = group.gangs.map((gang) => factsWithin(group, { gang, cluster }));
  const composites = compositeFacts(group.composite);
  const leftOut = group.attended.placement.choice?.leftOut ?? [];
  const untried = untriedFrom(group);
  return {
    group: {
      relay,
      gangs,
      ...(composites && { composites }),
      ...(composites && leftOut.length > 0 && { leftOut }),
    },
    title: group.title,
    calls: callsOf(group),
    stranded: group.gangs.flatMap(({ lists }) => strandedIn(lists, cluster.room)),
    specs: composites
      ? `${gangs.map(specTextOf)} ${JSON.stringify(composites)}`
      : gangs.map(specTextOf).join(),
    counts: gangs.map(countsTextOf).join(";"),
    present: group.gangs.reduce((total, { lists }) => total + lists.present(), 0),
    pending: gangs.reduce((total, { census }) => total + census.pending, 0),
    isGone: group.isGone,
    isForeign: group.isForeign,
    lacksMap: group.lacksMap,
    ...(untried < Infinity && { untriedFrom: untried }),
    unschedulable: () => group.gangs.flatMap(unschedulableIn),
    untaken: (kind) => untaken?.(group, kind) ?? [],
    alikeOn: alikeOnce(group),
    gated: () => group.gangs.flatMap(gatedIn),
    nominated: () => group.gangs.flatMap(({ lists }) => lists.nominated()),
    placed: (id, comes) => group.placed(id, comes),
  };
}

/** The facts of one gang, with what is wrong with it where members wait for that, and what it has lost to others. */
function factsWithin(
  group: GangGroup,
  { gang, cluster }: { gang: Gang; cluster: SnapshotOf["cluster"] },
): GangFacts {
  const facts = gangFactsOf(gang);
  const problem = someWait(facts)
    ? gang.read().problem ?? conflictOf(gang, { group, cluster })
    : undefined;
  const preempted = group.attended.preempted.get(gang.id);
  return {
    ...facts,
    ...(problem && { problem }),
    ...(preempted && { preempted: { members: preempted.uids.length, by: preempted.by } }),
  };
}

/** Many members of a kind may have failed at once. */
function alikeOnce(group: GangGroup): Snapshot["alikeOn"] {
  const byKind = new Map<string, ReadonlyMap<string, number>>();
  return (kind) => {
    const known = byKind.get(kind) ?? alikeOn(group, kind);
    byKind.set(kind, known);
    return known;
  };
}

/** The open bind calls of all gangs; of a lone gang the same map until one of them is another. */
function callsOf({ gangs }: GangGroup): Snapshot["calls"] {
  if (gangs.length === 1) return gangs[0]!.lists.calls();
  return new Map(gangs.flatMap(({ lists }) => [...lists.calls()]));
}

/** Those that may not stay on the nodes that they are held on. */
function strandedIn(lists: Gang["lists"], room: Cluster["room"]): string[] {
  const stranded: string[] = [];
  for (const record of lists.in("held")) {
    if (!room.mayStayOn(record, record.call!.pod.node)) stranded.push(record.pod.metadata.uid);
  }
  return stranded;
}

/** A gang group must be declared alike by every gang in it (DESIGN section 4). */
function conflictOf(
  gang: Gang,
  { group, cluster: { gangs } }: { group: GangGroup; cluster: SnapshotOf["cluster"] },
): Problem | undefined {
  for (const id of gang.read().spec.groups ?? []) {
    const other = gangs.get(id);
    if (!other || group.gangs.includes(other)) continue;
    const says = `gang ${named(gang.id)} names the gang group ${groupText(gang)}`;
    const otherSays = `gang ${named(id)} names ${groupText(other)}`;
    return {
      reason: "GroupConflict",
      message: `${says}, but ${otherSays}: declare the same gang group on both`,
    };
  }
  return undefined;
}

/** A gang's spec stays the same object until what its members declare changes. */
const specTexts = new Carried<GangFacts["gang"], string>();

function specTextOf({ gang, problem, parked, foreign, preempted }: GangFacts): string {
  const text = specTexts.of(gang) ?? specTexts.put(gang, JSON.stringify(gang));
  const { reason, message } = problem ?? {};
  const { members, by } = preempted ?? {};
  return `${text} ${reason} ${message} ${parked} ${foreign?.pod} ${members} ${by}`;
}

function countsTextOf({ census, held, roles = [] }: GangFacts): string {
  const inRoles = roles.flatMap((role) => Object.values(role));
  return [...Object.values(census), held.length, ...inRoles].join();
}

/** How a gang names its group, for messages. */
function groupText(gang: Gang): string {
  const { groups } = gang.read().spec;
  return groups ? listed(groups) : "none";
}

/** The facts of one gang, but for what is wrong with it. */
export function gangFactsOf(gang: Gang): GangFacts {
  const { lists } = gang;
  const { spec } = gang.read();
  const [stray] = lists.in("foreign");
  return {
    gang: spec,
    census: lists.census(),
    held: heldOf(gang),
    ...rolesOf(gang),
    ...(lists.sizeOf("parked") > 0 && { parked: true }),
    ...(stray?.foreign && { foreign: { pod: stray.pod.metadata.name, ...stray.foreign } }),
  };
}

function heldOf(gang: Gang): GangFacts["held"] {
  if (!gang.read().roleOf) return gang.lists.held();
  return [...gang.lists.in("held")].map((record) =>
    withRole(record.call!.pod, gang.roleOf(record))
  );
}

/** Of a gang with roles all members are counted. */
function rolesOf(gang: Gang): Pick<GangFacts, "roles"> {
  const { spec, roleOf } = gang.read();
  if (!roleOf || !spec.roles) return {};
  const rest = gang.counted().filter(({ call, node }) => !call || node);
  return { roles: takeRoleCensus(spec.roles, { rest, held: heldOf(gang), roleOf }) };
}

function withRole<Member extends object>(member: Member, role: string | undefined): Member {
  return role === undefined ? member : { ...member, role };
}

/** What the scheduler's own plugins say of members that are neither bound nor held. */
function unschedulableIn(gang: Gang): UnschedulableMember[] {
  return [...gang.lists.in("unschedulable")].map((record) => {
    const { uid, name } = record.pod.metadata;
    const message = fromScheduler(record.pod)!;
    const failure = { uid, name, message, gang: gang.id, kind: record.kind };
    return withRole(failure, gang.roleOf(record));
  });
}

function gatedIn({ id, lists }: Gang): GatedMember[] {
  return [...lists.in("behind own gate")].map(({ pod, kind }) => {
    const says = podCondition(pod, "PodScheduled");
    const isGatedByOthers = classOf(pod) === "gated";
    return {
      uid: pod.metadata.uid,
      kind,
      gang: id,
      ...(isGatedByOthers && { isGatedByOthers }),
      ...(says && { says }),
    };
  });
}
