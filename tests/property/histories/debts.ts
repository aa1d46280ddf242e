import type { Settings } from "../../../shared/core/gang/settings.ts";
import type { Checks } from "./checks.ts";
import {
  gangOf,
  type GangState,
  gangStates,
  groupOf,
  type GroupState,
  type Known,
  roleOf,
  rolesNeeded,
  stillNeeded,
} from "./gang_state.ts";
import { NodeRoom } from "../../../tools/sandbox/node_room.ts";
import { isOver } from "../../../tools/sandbox/objects.ts";
import type { Scheduler } from "../../../tools/sandbox/scheduler.ts";
import type { ModelApi } from "./model_api.ts";
import { mayRunOn } from "../../../shared/kubernetes/counting/node_match.ts";
import { requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import type { Topology } from "../../../shared/core/gang/topology.ts";
import { canPlace, type Seeking, type Sort, type Within } from "../sound/exact_room.ts";
import { choicesOf, leftOutOf, startedIn } from "../sound/trees.ts";

/** A cluster that is left alone. */
export interface LeftAlone {
  readonly api: ModelApi;
  readonly scheduler: Scheduler;
  readonly settings: Settings;
  readonly checks: Checks;
  readonly isPast: Known["isPast"];
  /** Room is kept for gangs that wait. */
  readonly isKept: boolean;
  /** Bind calls that were opened before are held; those opened later may be a round that is about to end. */
  readonly heldSince: number;
}

/** What is still to be done in a cluster that is left alone; in the end nothing may be. */
export function debts(
  { api, scheduler, settings, checks, isPast, isKept, heldSince }: LeftAlone,
): string[] {
  const owed = [...scheduler.calls.values()].filter(({ openedAt }) => openedAt <= heldSince)
    .map(({ pod, node }) => `the bind call for pod ${pod.metadata.uid} to ${node} is not answered`);
  const gangs = gangStates({ ...api, isPast, placeOf: () => undefined });
  for (const gang of gangs.values()) {
    if (isPartial(gang) && !checks.isBinding(gang.id) && checks.setbacksOf(gang).length === 0) {
      const { bound } = gang.members;
      owed.push(`gang ${gang.id} has ${bound.length} of ${gang.spec.minMember} members bound`);
    }
  }
  const spaces = spacesOf(api);
  const groups = [...gangs.values()].flatMap((gang) => {
    const group = groupOf(gang, gangs);
    return group.gangs[0] === gang ? [roomFor(group, { spaces, settings })] : [];
  });
  // Behind one that waits for room, others may wait that fit.
  const isKeptFor = isKept && groups.some(({ isReady, fits }) => isReady && !fits);
  for (const { ids, fits } of groups) {
    if (fits && !isKeptFor) owed.push(`members of ${ids} fit and are not bound`);
  }
  for (const pod of api.pods.values()) {
    const isPending = gangOf(pod) === undefined && !pod.spec.nodeName;
    if (isPending && spaces.some((space) => space.takes(pod))) {
      owed.push(`regular pod ${pod.metadata.uid} fits and is not bound`);
    }
  }
  return owed;
}

function spacesOf(api: ModelApi): NodeRoom[] {
  const spaces = new Map([...api.nodes].map(([name, node]) => [name, new NodeRoom(node)]));
  for (const pod of api.pods.values()) {
    if (pod.spec.nodeName && !isOver(pod)) spaces.get(pod.spec.nodeName)?.add(pod);
  }
  return [...spaces.values()];
}

/** Fewer members are bound than the gang needs, though some are; succeeded ones count where they do for quorum (S4). */
function isPartial({ spec, members }: GangState): boolean {
  const { bound, pending, succeeded } = members;
  const counted = bound.length + pending.length < spec.minMember ? succeeded.length : 0;
  return bound.length > 0 && bound.length + counted < spec.minMember;
}

/** Whether members of a group may be bound, and whether all that have to be at once find room. */
interface GroupRoom {
  readonly ids: string;
  readonly isReady: boolean;
  readonly fits: boolean;
}

/** What a group is to start with; where it has started, what it was started without, and then whoever is not needed. */
function roomFor(
  { gangs, tree }: GroupState,
  { spaces, settings }: { spaces: readonly NodeRoom[]; settings: Settings },
): GroupRoom {
  const ids = gangs.map(({ id }) => id).join(", ");
  const free = new Map(spaces.map(({ node, free }) => [node.metadata.name, free]));
  const seekings = new Map(
    gangs.filter(({ isUnusable }) => !isUnusable)
      .map((gang) => [gang.id, seekingOf(gang, { spaces, settings })]),
  );
  const waits = new Set(
    gangs.filter(({ members }) => members.pending.length > 0).map(({ id }) => id),
  );
  const isWhole = (id: string) => seekings.get(id)?.needed === 0;
  const choices = leftOutOf(tree, isWhole).flatMap(choicesOf).map((gangs) =>
    gangs.filter((id) => !isWhole(id))
  );
  const ready = choices.map((gangs) => gangs.flatMap((id) => seekings.get(id) ?? []))
    .filter((each, index) => each.length === choices[index]!.length && each.every(isThere));
  const beyond = startedIn(tree, isWhole).filter((id) => waits.has(id))
    .map((id) => [{ ...seekings.get(id)!, needed: 1 }]);
  const all = [...waits.size > 0 ? ready : [], ...beyond];
  return { ids, isReady: all.length > 0, fits: all.some((each) => canPlace(each, free)) };
}

/** Whether as many members are there as must find room. */
function isThere({ sorts, needed, roles = [] }: Seeking): boolean {
  const count = (some: readonly Sort[]) => some.reduce((sum, { count }) => sum + count, 0);
  return count(sorts) >= needed &&
    roles.every(({ name, needed }) => count(sorts.filter(({ role }) => role === name)) >= needed);
}

function seekingOf(
  gang: GangState,
  { spaces, settings }: { spaces: readonly NodeRoom[]; settings: Settings },
): Seeking {
  const { members: { pending, bound }, spec: { topology, roles = [] } } = gang;
  const nodes = new Map(spaces.map(({ node }) => [node.metadata.name, node as Node]));
  const needs = rolesNeeded(gang, settings);
  // The members of a role are alike.
  const sorts = [...Map.groupBy(pending, roleOf)].map(([role, alike]): Sort => ({
    role,
    count: alike.length,
    requests: requestsOf(alike[0]!),
    mayRunOn: (name) => mayRunOn(alike[0]!, nodes.get(name)!),
  }));
  const within = (topology: Topology | undefined, siblings: readonly Pod[]) =>
    withinOf(topology, { nodes, siblings });
  return {
    sorts,
    needed: stillNeeded(gang, settings),
    within: within(topology, bound),
    roles: roles.map(({ name, topology }) => ({
      name,
      needed: needs.get(name) ?? 0,
      within: within(topology, bound.filter((pod) => roleOf(pod) === name)),
    })),
  };
}

/** Beside siblings, where a domain is required. */
function withinOf(
  topology: Topology | undefined,
  { nodes, siblings }: { nodes: ReadonlyMap<string, Node>; siblings: readonly Pod[] },
): Within | undefined {
  const key = topology?.required;
  if (key === undefined) return undefined;
  // A history's preferred level is within the required one.
  const domainOf = (name: string) => nodes.get(name)?.metadata.labels?.[key];
  const theirs = siblings.map(({ spec }) => domainOf(spec.nodeName!));
  const only = new Set(theirs.flatMap((domain) => domain ?? []));
  return { domainOf, ...(theirs.length > 0 && { only }) };
}
