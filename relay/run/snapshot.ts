/**
 * The facts of a gang group, taken from the relay's copy of the cluster and the open bind calls.
 *
 * @module
 */
import type {
  Call,
  GatedMember,
  NominatedMember,
  Snapshot,
} from "../../shared/core/attend/snapshot.ts";
import {
  type GangFacts,
  type Group,
  type MemberFailure,
  type Problem,
  someWait,
} from "../../shared/core/gang/facts.ts";
import { memberClassOf, takeCensus } from "../../shared/kubernetes/counting/census.ts";
import { koordinator } from "../../shared/kubernetes/declaring/pod_group.ts";
import { listed, named } from "../../shared/core/words/text.ts";
import type { Gang } from "../cluster/gang.ts";
import type { GangGroup } from "./gang_group.ts";
import { gatedOf } from "./gates.ts";
import type { Hold, Holds } from "../scheduler/holds.ts";
import type { PodRecord } from "../cluster/pod_record.ts";
import { fromScheduler } from "../scheduler/sentence.ts";

/** Set to "true" on the members of a gang that timed out and is not scheduled any more (S3). */
export const parkedAnnotation = `${koordinator}timeout`;

/** What a snapshot is taken of. */
export interface Taken {
  readonly holds: Holds;
  readonly relay: Group["relay"];
  readonly findGang: (id: string) => Gang | undefined;
}

/** The facts now. */
export function snapshotOf(group: GangGroup, { holds, relay, findGang }: Taken): Snapshot {
  const calls = new Map<string, Call>();
  const gangs = group.gangs.map((gang) => {
    const facts = gangFactsOf(gang, holds);
    for (const { uid } of facts.held) calls.set(uid, callOf(holds.get(uid)!));
    const problem = someWait(facts)
      ? gang.read().problem ?? conflictOf(gang, { group, findGang })
      : undefined;
    const preempted = group.attended.preempted.get(gang.id);
    return {
      ...facts,
      ...(problem && { problem }),
      ...(preempted && { preempted: { members: preempted.uids.length, by: preempted.by } }),
    };
  });
  const sum = (count: (facts: GangFacts) => number) =>
    gangs.reduce((total, facts) => total + count(facts), 0);
  return {
    group: { relay, gangs },
    title: group.title,
    calls,
    specs: gangs.map(specTextOf).join(),
    counts: gangs.map(({ census, held }) => [...Object.values(census), held.length]).join(";"),
    present: sum(({ census, held }) =>
      held.length + census.bound + census.pending + census.succeeded
    ),
    pending: sum(({ census }) => census.pending),
    isGone: group.isGone,
    isForeign: group.isForeign,
    unschedulable: () => group.gangs.flatMap((gang) => unschedulable(gang, calls)),
    gated: () => gatedOf(group).map(gatedMemberOf),
    nominated: () => group.gangs.flatMap((gang) => nominatedIn(gang, calls)),
    placed: (id, comes) => group.gangs.find((gang) => gang.id === id)?.placed(holds, comes) ?? 0,
  };
}

/** A gang group must be declared alike by every gang in it (DESIGN section 4). */
function conflictOf(
  gang: Gang,
  { group, findGang }: { group: GangGroup; findGang: Taken["findGang"] },
): Problem | undefined {
  for (const id of gang.read().spec.groups ?? []) {
    const other = findGang(id);
    if (!other || group.gangs.includes(other)) continue;
    return {
      reason: "GroupConflict",
      message:
        `gang ${named(gang.id)} names the gang group ${groupText(gang)}, but gang ${
          named(id)
        } names ${groupText(other)}: ` +
        "declare the same gang group on both",
    };
  }
  return undefined;
}

/** A gang's spec stays the same object until what its members declare changes. */
const specTexts = new WeakMap<GangFacts["gang"], string>();

function specTextOf({ gang, problem, parked, foreign, preempted }: GangFacts): string {
  const text = specTexts.get(gang) ?? JSON.stringify(gang);
  specTexts.set(gang, text);
  const { reason, message } = problem ?? {};
  const { members, by } = preempted ?? {};
  return `${text} ${reason} ${message} ${parked} ${foreign?.pod} ${members} ${by}`;
}

/** How a gang names its group, for messages. */
function groupText(gang: Gang): string {
  const { groups } = gang.read().spec;
  return groups ? listed(groups) : "none";
}

/** The facts of one gang, but for what is wrong with it. */
export function gangFactsOf(gang: Gang, holds: Holds): GangFacts {
  const held: Hold["pod"][] = [];
  const rest: PodRecord[] = [];
  for (const [uid, record] of gang.counted()) {
    const hold = record.node ? undefined : holds.get(uid);
    if (hold) held.push(hold.pod);
    else rest.push(record);
  }
  const stray = rest.find((record) => memberClassOf(record) === "foreign");
  const isParked = [...gang.members.values()].some((record) =>
    !record.node && record.pod.metadata.annotations?.[parkedAnnotation] === "true"
  );
  return {
    gang: gang.read().spec,
    census: takeCensus(rest),
    held,
    ...(isParked && { parked: true }),
    ...(stray?.foreign && { foreign: { pod: stray.pod.metadata.name, ...stray.foreign } }),
  };
}

/** An open bind call, as decisions know it. */
export function callOf({ id, pod, record, openedAt, isGranted }: Hold): Call {
  return { id, pod, gang: record.gang!, openedAt, isGranted };
}

function unschedulable(gang: Gang, calls: ReadonlyMap<string, Call>): MemberFailure[] {
  return [...gang.members].flatMap(([uid, { pod, node, foreign }]) => {
    const message = node || foreign || calls.has(uid) ? undefined : fromScheduler(pod);
    return message === undefined ? [] : [{ uid, name: pod.metadata.name, message, gang: gang.id }];
  });
}

function nominatedIn(gang: Gang, calls: ReadonlyMap<string, Call>): NominatedMember[] {
  return [...gang.members].flatMap(([uid, { pod, node }]) => {
    const { metadata, status } = pod;
    const isNominated = status?.nominatedNodeName && !node && !metadata.deletionTimestamp;
    return isNominated && !calls.has(uid) ? [{ uid, version: metadata.resourceVersion ?? "" }] : [];
  });
}

function gatedMemberOf({ pod }: PodRecord): GatedMember {
  const says = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  return { uid: pod.metadata.uid, ...(says && { says }) };
}
