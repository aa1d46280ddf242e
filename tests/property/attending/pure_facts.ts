/**
 * What the relay would tell of a pure world: the facts of a gang group, and what plans are made of.
 *
 * @module
 */
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { isPausing } from "../../../shared/core/attend/standing.ts";
import { compositeFacts } from "../../../shared/core/gang/composites.ts";
import type { Composite } from "../../../shared/core/gang/topology.ts";
import type { Mover, Spare } from "../../../shared/core/attend/spare.ts";
import type { Call, Snapshot, UnschedulableMember } from "../../../shared/core/attend/snapshot.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { queueKeys } from "../../../shared/core/queue/order.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";
import { alikeIn, isWaiting, type Member, type PureGang } from "./pure_gang.ts";
import { candidateOf, type PureRoom, rackOf } from "./pure_room.ts";

/** A gang group, what the relay knows of it, and what the store does. */
export interface GangGroup {
  attended: Attended;
  readonly gangs: PureGang[];
  stored: GroupState;
  isLooked: boolean;
  wakes: number;
}

/** Which gangs the group of several needs; undefined: all. */
export type Needs = Composite | undefined;

/** Where nodes are found that have room for a member. */
interface Seen {
  readonly room: PureRoom;
  readonly spare: Spare;
  readonly refusedFor: (group: GangGroup) => Waiting["refused"];
}

/** The facts of a group now. */
export function pureSnapshot(
  group: GangGroup,
  { epoch, needs, ...seen }: Seen & { epoch: number; needs: Needs },
): Snapshot {
  const { attended: { id, placement: { choice } }, gangs } = group;
  const composites = compositeFacts(compositeOf(id, needs));
  const facts: PureGang["counted"]["facts"][] = [];
  const calls = new Map<string, Call>();
  let [counts, present, pending] = ["", 0, 0];
  for (const { counted, members } of gangs) {
    facts.push(counted.facts);
    for (const call of counted.calls) calls.set(call.pod.uid, call);
    counts += `${counted.counts};`;
    present += members.length;
    pending += counted.facts.census.pending;
  }
  return {
    group: {
      relay: { id: "relay", epoch },
      gangs: facts,
      ...(composites && { composites, ...(choice && { leftOut: choice.leftOut }) }),
    },
    title: `gang ${id}`,
    calls,
    stranded: [],
    specs: id,
    counts,
    present,
    pending,
    isGone: present === 0,
    isForeign: false,
    lacksMap: false,
    unschedulable: () => gangs.flatMap(({ members }) => members.flatMap(unschedulable)),
    untaken: (kind) => untakenIn(group, kind, seen),
    alikeOn: (kind) => alikeIn(gangs, kind),
    gated: () => [],
    nominated: () => [],
    placed: (gang, comes) => gangs.find(({ id }) => id === gang)?.placed(comes) ?? 0,
  };
}

function compositeOf(id: string, needs: Needs): Needs {
  return id.includes(",") ? needs : undefined;
}

function unschedulable(member: Member): UnschedulableMember[] {
  const { pod: { uid, name }, failure: message, gang, gpus } = member;
  return message && isWaiting(member)
    ? [{ uid, name, message, gang: gang.id, kind: candidateOf(gpus).kind }]
    : [];
}

/** Nodes with room for a kind, of those that are not known to be refused. */
function untakenIn(group: GangGroup, kind: string, { spare, room, refusedFor }: Seen): string[] {
  const members = group.gangs.flatMap(({ members }) => members);
  const member = members.find(({ gpus }) => candidateOf(gpus).kind === kind);
  if (!member) return [];
  const refused = refusedFor(group);
  const roomOn = spare.roomFor(moverOf(member, group));
  return [...room.free.keys()].filter((node) =>
    refused?.get(kind)?.more.get(node) !== 0 && roomOn(node) !== undefined
  );
}

/** What is wrong with where a gang that requires a rack is bound; undefined: nothing. */
export function splitOf({ id, spec, members }: PureGang): string | undefined {
  if (spec.topology?.required === undefined) return undefined;
  const nodes = members.flatMap(({ node }) => node ?? []);
  const isSplit = new Set(nodes.map(rackOf)).size > 1;
  return isSplit ? `${id} is to run in one rack and is bound to ${nodes}` : undefined;
}

/** What is wrong with binding a member of a gang now; undefined: nothing. */
export function boundTooSoon(
  gang: PureGang,
  { gangs, needs }: { gangs: ReadonlyMap<string, PureGang>; needs: Needs },
): string | undefined {
  if (gang.bound > 0) return undefined;
  if (gang.isShort) return `a member of ${gang.id} is bound before its quorum is there`;
  const { children = [], min = 0 } = needs ?? {};
  const siblings = children.flatMap((child) => gangs.get(String(child)) ?? []);
  if (!siblings.includes(gang)) return undefined;
  return siblings.filter(({ bound, isShort }) => bound > 0 || !isShort).length < min
    ? `a member of ${gang.id} is bound before ${min} gangs of its group are whole`
    : undefined;
}

/** The cluster, and the groups that wait for room on it, in this order. */
export function plannedWorld(
  groups: readonly GangGroup[],
  { room, settings, needs, refusedFor }: {
    room: PureRoom;
    settings: Settings;
    needs: Needs;
    refusedFor: (group: GangGroup) => Waiting["refused"];
  },
): World {
  return {
    free: room.free,
    capacity: () => room.capacity,
    nodes: room.nodes,
    labelsOf: (host) => ({ host, rack: rackOf(host) }),
    levels: [],
    nominated: [],
    takenBelow: () => [],
    waiting: groups.map(({ attended, gangs, ...group }) => ({
      id: attended.id,
      priority: 0,
      gangs: () => gangs.map(({ counted }) => counted.planned),
      composite: compositeOf(attended.id, needs),
      isNeverWhole: false,
      isPausing: isPausing(attended.standing),
      plan: attended.plan,
      reserved: attended.reserved,
      before: attended.placement.uses,
      refused: refusedFor({ ...group, attended, gangs }),
      shortSince: attended.shortSince,
      keepsUntil: attended.keepsUntil,
    })),
    // A gang that waits behind a protected one does not bind in the end, although it fits.
    backfillMs: Infinity,
    settings,
  };
}

/** What a member takes with it to a node. */
export function moverOf({ pod, gpus }: Member, { attended }: GangGroup): Mover {
  const { requests, kind } = candidateOf(gpus);
  return { uid: pod.uid, group: attended.id, kind, requests };
}

/** The groups as queue-sort has them. */
export function inOrder(groups: readonly GangGroup[], settings: Settings): readonly GangGroup[] {
  if (groups.length < 2) return groups;
  const units = groups.map(({ gangs: [gang] }) => {
    const { id, spec } = gang!;
    return { id, gang: spec, priority: 0, queuedAt: spec.createdAt };
  });
  const failedAt = new Map(
    groups.flatMap(({ attended: { id, failedAt } }) =>
      failedAt === undefined ? [] : [[id, Date.parse(failedAt)] as const]
    ),
  );
  const keys = queueKeys(units, { failedAt, settings });
  return groups.map((group, index) => ({ group, key: keys[index]!.key }))
    .sort((a, b) => a.key < b.key ? -1 : 1).map(({ group }) => group);
}
