/**
 * What the relay would tell of a pure world: the facts of a gang group, and what plans are made of.
 *
 * @module
 */
import { type Attended, isPausing } from "../../../shared/core/attend/attended.ts";
import { compositeFacts } from "../../../shared/core/gang/composites.ts";
import type { Composite } from "../../../shared/core/gang/topology.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { GangFacts, GangSpec, PodRef } from "../../../shared/core/gang/facts.ts";
import type { Mover } from "../../../shared/core/attend/spare.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { PlannedGang } from "../../../shared/core/plan/demand.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import { queueKeys } from "../../../shared/core/queue/order.ts";
import type { OwnRoom } from "../../../shared/core/room/fit.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";

const gpu = "gpu";

/** A pod of a gang. */
export interface Member {
  readonly pod: PodRef;
  readonly gang: string;
  readonly gpus: number;
  node?: string;
  call?: Call;
  /** Where the scheduler is about to bind it, which the relay has not heard yet. */
  assumed?: string;
  /** What the scheduler's own plugins say of it. */
  failure?: string;
  attempts: number;
  /** Nothing but an event wakes it. */
  isAsleep: boolean;
  /** In the scheduler's back-off until then. */
  readyAt: number;
}

/** Of the scheduler: from the first failure of a pod on, twice as much each time. */
const backoff = { least: 1000, most: 3000 };

/** A member was tried in vain. */
export function backOff(member: Member, now: number): void {
  member.readyAt = now + Math.min(backoff.most, backoff.least * 2 ** member.attempts++);
}

/** A gang group, what the relay knows of it, and what the store does. */
export interface GangGroup {
  attended: Attended;
  readonly gangs: string[];
  stored: GroupState;
  isLooked: boolean;
  wakes: number;
}

/** The members of a gang, and what it declares. */
export interface Gangs {
  readonly membersOf: (gang: string) => readonly Member[];
  readonly specs: ReadonlyMap<string, GangSpec>;
  /** Of the group of several gangs; undefined: it needs all of them. */
  readonly composite: () => Composite | undefined;
}

/** The facts of a group now. */
export function pureSnapshot(
  { attended, gangs }: Pick<GangGroup, "attended" | "gangs">,
  world: Gangs,
  epoch: number,
): Snapshot {
  const facts = gangs.map((gang) => factsOf(gang, world));
  const members = gangs.flatMap((gang) => world.membersOf(gang));
  const composites = compositeFacts(compositeOf(attended, world));
  const { choice } = attended.placement;
  const calls = members.flatMap(({ call, node }) => call && !node ? [call] : []);
  return {
    group: {
      relay: { id: "relay", epoch },
      gangs: facts,
      ...(composites && { composites, ...(choice && { leftOut: choice.leftOut }) }),
    },
    title: `gang ${attended.id}`,
    calls: new Map(calls.map((call) => [call.pod.uid, call])),
    specs: attended.id,
    counts: JSON.stringify(facts.map(({ census, held }) => [census, held.length])),
    present: members.length,
    pending: facts.reduce((sum, { census }) => sum + census.pending, 0),
    isGone: members.length === 0,
    isForeign: false,
    unschedulable: () =>
      members.flatMap(({ pod, failure, node, call, gang, gpus }) =>
        failure && !node && !call
          ? [{ uid: pod.uid, name: pod.name, message: failure, gang, kind: String(gpus) }]
          : []
      ),
    gated: () => [],
    nominated: () => [],
    placed: (gang, comes) => placedIn(world.membersOf(gang), comes),
  };
}

function compositeOf({ id }: Pick<Attended, "id">, world: Gangs): Composite | undefined {
  return id.includes(",") ? world.composite() : undefined;
}

/** Where a member is bound or held. */
export function nodeOf({ node, call }: Member): string | undefined {
  return node ?? call?.pod.node;
}

/** The same, as the scheduler has it. */
export function assumedNodeOf(member: Member): string | undefined {
  return nodeOf(member) ?? member.assumed;
}

/** Whether the relay takes a member for one that needs a node. */
export function isWaiting(member: Member | undefined): boolean {
  return member !== undefined && nodeOf(member) === undefined;
}

/** Whether a gang has too few members that are bound or held. */
export function isShort(gang: string, { membersOf, specs }: Gangs): boolean {
  return placedIn(membersOf(gang)) < specs.get(gang)!.minMember;
}

/** Of two racks, the one where a node is. */
export function rackOf(node: string): string {
  return `r${Number(node.slice(1)) % 2}`;
}

/** GPUs by node that these members leave free. */
export function freeBeside(
  members: Iterable<Member>,
  { nodes, placeOf }: {
    nodes: ReadonlyMap<string, number>;
    placeOf: (member: Member) => string | undefined;
  },
): Map<string, number> {
  const free = new Map(nodes);
  for (const member of members) {
    const at = placeOf(member);
    if (at !== undefined) free.set(at, (free.get(at) ?? 0) - member.gpus);
  }
  return free;
}

/** What is wrong with where a gang that requires a rack is bound; undefined: nothing. */
export function splitOf(gang: string, { membersOf, specs }: Gangs): string | undefined {
  if (specs.get(gang)!.topology?.required === undefined) return undefined;
  const nodes = membersOf(gang).flatMap(({ node }) => node ?? []);
  const isSplit = new Set(nodes.map(rackOf)).size > 1;
  return isSplit ? `${gang} is to run in one rack and is bound to ${nodes}` : undefined;
}

/** What is wrong with binding the first member of a gang now; undefined: nothing. */
export function boundTooSoon(gang: string, world: Gangs): string | undefined {
  const { children = [], min = 0 } = world.composite() ?? {};
  const gangs = children.filter((child) => typeof child === "string");
  const isBound = (one: string) => world.membersOf(one).some(({ node }) => node);
  if (isBound(gang)) return undefined;
  if (isShort(gang, world)) return `a member of ${gang} is bound before its quorum is there`;
  if (!gangs.includes(gang)) return undefined;
  return gangs.filter((one) => isBound(one) || !isShort(one, world)).length < min
    ? `a member of ${gang} is bound before ${min} gangs of its group are whole`
    : undefined;
}

/** Members that have a node, are held, or are about to be. */
export function placedIn(
  members: readonly Member[],
  comes: (uid: string) => boolean = () => false,
): number {
  return members.filter(({ node, call, pod }) => node || call || comes(pod.uid)).length;
}

/** The cluster, and the groups that wait for room on it, in this order. */
export function plannedWorld(
  groups: readonly GangGroup[],
  { gangs: world, settings, free, nodes, refusedFor }: {
    gangs: Gangs;
    settings: Settings;
    free: ReadonlyMap<string, number>;
    nodes: ReadonlyMap<string, number>;
    refusedFor: (attended: Attended) => Waiting["refused"];
  },
): World {
  return {
    free: roomOf(free),
    capacity: () => roomOf(nodes),
    nodes: {},
    labelsOf: (host) => ({ host, rack: rackOf(host) }),
    levels: [],
    nominated: [],
    takenBelow: () => [],
    waiting: groups.map(({ attended, gangs }) => ({
      id: attended.id,
      priority: 0,
      gangs: () => gangs.map((gang) => pureGang(gang, world)),
      isNeverWhole: false,
      isPausing: isPausing(attended.standing),
      plan: attended.plan,
      reserved: attended.reserved,
      before: attended.placement.uses,
      refused: refusedFor(attended),
      composite: compositeOf(attended, world),
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
  const { requests, kind } = candidateOf({ gpus });
  return { uid: pod.uid, group: attended.id, kind, requests };
}

function pureGang(gang: string, world: Gangs): PlannedGang {
  const members = world.membersOf(gang);
  return {
    facts: factsOf(gang, world),
    candidates: members.filter(({ node, call }) => !node && !call).map(candidateOf),
    placed: members.flatMap((member) => {
      const node = nodeOf(member);
      return node === undefined ? [] : [{ node, requests: new Map([[gpu, member.gpus]]) }];
    }),
    minResources: new Map(),
    evictsBelow: -Infinity,
  };
}

/** A member that needs a node; any will do. */
export function candidateOf({ gpus }: Pick<Member, "gpus">): PlannedGang["candidates"][number] {
  return { requests: new Map([[gpu, gpus]]), kind: String(gpus), mayRunOn: () => true };
}

/** So many GPUs on each node. */
export function roomOf(gpus: ReadonlyMap<string, number>): OwnRoom {
  return new Map([...gpus].map(([node, amount]) => [node, new Map([[gpu, amount]])]));
}

/** The groups as queue-sort has them. */
export function inOrder(
  groups: readonly GangGroup[],
  { specs }: Gangs,
  settings: Settings,
): GangGroup[] {
  const units = groups.map(({ gangs }) => {
    const spec = specs.get(gangs[0]!)!;
    return { id: gangs[0]!, gang: spec, priority: 0, queuedAt: spec.createdAt };
  });
  const failedAt = new Map(
    groups.flatMap(({ attended: { id, failedAt } }) =>
      failedAt === undefined ? [] : [[id, Date.parse(failedAt)] as const]
    ),
  );
  const sorted = queueKeys(units, { failedAt, settings });
  const keys = new Map(sorted.map(({ id, key }) => [id, key]));
  return groups.toSorted((a, b) => keys.get(a.gangs[0]!)! < keys.get(b.gangs[0]!)! ? -1 : 1);
}

function factsOf(gang: string, { membersOf, specs }: Gangs): GangFacts {
  const members = membersOf(gang);
  const bound = members.filter(({ node }) => node).length;
  const held = members.flatMap(({ call, node }) => call && !node ? [call.pod] : []);
  const pending = members.length - bound - held.length;
  const none = { gated: 0, succeeded: 0, failed: 0, terminating: 0 };
  return { gang: specs.get(gang)!, census: { pending, bound, running: bound, ...none }, held };
}

/** `namespace/name`. */
export function idOf({ namespace, name }: GangSpec): string {
  return `${namespace}/${name}`;
}
