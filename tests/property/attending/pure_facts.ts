/**
 * What the relay would tell of a pure world: the facts of a gang group, and what plans are made of.
 *
 * @module
 */
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Call, Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { GangFacts, GangSpec, PodRef } from "../../../shared/core/gang/facts.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { PlannedGang } from "../../../shared/core/plan/demand.ts";
import { queueKeys } from "../../../shared/core/queue/order.ts";
import type { Room } from "../../../shared/core/room/fit.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";

const gpu = "gpu";

/** A pod of a gang. */
export interface Member {
  readonly pod: PodRef;
  readonly gang: string;
  readonly gpus: number;
  node?: string;
  call?: Call;
  /** What the scheduler's own plugins say of it. */
  failure?: string;
  attempts: number;
  /** Nothing but an event wakes it. */
  isAsleep: boolean;
  /** In the scheduler's back-off until then. */
  readyAt: number;
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
  readonly membersOf: (gang: string) => Member[];
  readonly specs: ReadonlyMap<string, GangSpec>;
}

/** The facts of a group now. */
export function pureSnapshot(
  { attended, gangs }: Pick<GangGroup, "attended" | "gangs">,
  world: Gangs,
  epoch: number,
): Snapshot {
  const facts = gangs.map((gang) => factsOf(gang, world));
  const members = gangs.flatMap((gang) => world.membersOf(gang));
  const calls = members.flatMap(({ call, node }) => call && !node ? [call] : []);
  return {
    group: { relay: { id: "relay", epoch }, gangs: facts },
    title: `gang ${attended.id}`,
    calls: new Map(calls.map((call) => [call.pod.uid, call])),
    specs: attended.id,
    counts: JSON.stringify(facts.map(({ census, held }) => [census, held.length])),
    present: members.length,
    pending: facts.reduce((sum, { census }) => sum + census.pending, 0),
    isGone: members.length === 0,
    isForeign: false,
    unschedulable: () =>
      members.flatMap(({ pod, failure, node, call, gang }) =>
        failure && !node && !call ? [{ uid: pod.uid, name: pod.name, message: failure, gang }] : []
      ),
    gated: () => [],
    nominated: () => [],
    placed: (gang, comes) => placedIn(world.membersOf(gang), comes),
  };
}

/** Members that have a node, are held, or are about to be. */
export function placedIn(
  members: readonly Member[],
  comes: (uid: string) => boolean = () => false,
): number {
  return members.filter(({ node, call, pod }) => node || call || comes(pod.uid)).length;
}

/** A gang as plans look at it. */
export function pureGang(gang: string, world: Gangs): PlannedGang {
  const members = world.membersOf(gang);
  return {
    facts: factsOf(gang, world),
    candidates: members.filter(({ node, call }) => !node && !call).map(candidateOf),
    placed: members.flatMap(({ node, call, gpus }) => {
      const at = node ?? call?.pod.node;
      return at === undefined ? [] : [{ node: at, requests: new Map([[gpu, gpus]]) }];
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
export function roomOf(gpus: ReadonlyMap<string, number>): Room {
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
  const sorted = queueKeys(units, { failedAt: new Map(), settings });
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
