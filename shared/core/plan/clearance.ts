/**
 * Room that pods leave for a gang group: those that leave already, and those that have to.
 *
 * @module
 */
import { gangId } from "../gang/facts.ts";
import type { Use } from "../room/fit.ts";
import type { Ground } from "../room/ground.ts";
import type { Floor } from "./clearing.ts";
import type { Demand } from "./demand.ts";
import { evictionFor } from "./eviction.ts";
import type { Looks } from "./looks.ts";
import { isLacking, partOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import type { Clearance, Goal } from "./plan.ts";
import { Regions } from "./regions.ts";
import type { Leaving } from "./running.ts";
import type { Waiting, World } from "./world.ts";

/** So many of those who leave are named. */
const namedAtMost = 3;

/** For whom, and where. */
interface ClearanceOptions {
  readonly group: Waiting;
  readonly open: Ground;
  readonly world: World;
  readonly looks: Looks;
  /** Nodes where groups ahead go at once, and the lowest priority of these. */
  readonly goneTo: ReadonlyMap<string, number>;
}

/**
 * Undefined: the group would not become whole by it, or finds room when others have left that do so by themselves. Nobody is
 * evicted for a group that not all of its gangs may evict.
 */
export function clearanceFor(
  demands: readonly Demand[],
  options: ClearanceOptions,
): Clearance | undefined {
  const { group, open, world: { evictions, levels }, looks } = options;
  if (!evictions) return undefined;
  const leaving = evictions.leaving();
  const cleared = open.fork();
  for (const { node, requests } of leaving) cleared.takeAt(node, { requests }, -1);
  const floor = () => floorOn(cleared, { demands, group, levels, looks });
  const gone = leaving.filter(({ for: whom }) => whom === group.id).map(({ name }) => name);
  const comes = floor().place();
  if (comes) {
    const names = gone.length > 0 || !group.isCleared ? gone : leftBy(leaving, comes);
    return names.length > 0
      ? { ...goingTo(comes, demands, options), victims: [], names }
      : undefined;
  }
  const priority = evictedBelow(demands);
  if (priority === -Infinity) return undefined;
  const running = evictions.running(priority);
  const found = running.pods.length > 0 ? evictionFor({ floor, running, looks }) : undefined;
  return found && {
    ...goingTo(found.taken, demands, options),
    victims: found.victims.map(({ uid }) => uid),
    names: [...gone, ...found.victims.map(({ name }) => name)],
  };
}

/** All gangs that need members may evict pods of a lower priority than that; -Infinity: one of them may evict nobody. */
function evictedBelow(demands: readonly Demand[]): number {
  const needing = demands.filter(({ needed }) => needed > 0);
  return Math.min(...needing.map(({ evictsBelow }) => evictsBelow));
}

/** The places of a group, and who of it goes where; some only after groups ahead that go there at once. */
function goingTo(
  taken: readonly Use[],
  demands: readonly Demand[],
  { group: { nominated, priority }, goneTo }: ClearanceOptions,
): Pick<Clearance, "taken" | "members"> {
  const isAfterOthers = (node: string) => (goneTo.get(node) ?? Infinity) <= priority;
  const members = goalsOf(demands, { taken, nominated })
    .map((goal): Goal => isAfterOthers(goal.node) ? { ...goal, isAfterOthers: true } : goal);
  return { taken, members };
}

/** Those that leave these places for whichever group: one ahead may have taken the room of those that left for this one. */
function leftBy(leaving: readonly Leaving[], places: readonly Use[]): string[] {
  return leaving.filter(({ node, for: whom }) =>
    whom !== undefined && places.some((place) => place.node === node)
  ).map(({ name }) => name);
}

/** A node for each member that is needed: the one that it was nominated to, as far as others do not need it more. */
function goalsOf(
  demands: readonly Demand[],
  { taken, nominated }: { taken: readonly Use[]; nominated: Waiting["nominated"] },
): Goal[] {
  const left = new Map<string, string[]>();
  const isOne = demands.length === 1;
  const whose = (kind: string, gang: string | undefined) => isOne ? kind : `${gang} ${kind}`;
  for (const { kind, gang, node, count } of taken) {
    const key = whose(kind, gang);
    left.set(key, [...left.get(key) ?? [], ...new Array(count).fill(node)]);
  }
  const waiting = demands.flatMap(({ facts: { gang }, candidates }) => {
    const id = gangId(gang);
    return candidates.map(({ uid, kind }) => ({ uid, nodes: left.get(whose(kind, id)) ?? [] }));
  });
  const goals = new Map<string, string>();
  const choose = (nodeOf: (uid: string, nodes: readonly string[]) => string | undefined) => {
    for (const { uid, nodes } of waiting) {
      const node = uid === undefined || goals.has(uid) ? undefined : nodeOf(uid, nodes);
      if (node === undefined) continue;
      nodes.splice(nodes.indexOf(node), 1);
      goals.set(uid!, node);
    }
  };
  choose((uid, nodes) => nodes.find((node) => node === nominated?.get(uid)));
  choose((_, [node]) => node);
  return [...goals].map(([uid, node]) => ({ uid, node }));
}

/** What a group is told of those who leave for it. */
export function leavingFor({ names }: Clearance): { pods: number; first: readonly string[] } {
  return { pods: names.length, first: names.slice(0, namedAtMost) };
}

/** Whether members have room where they are on some nodes, beside what stays there. */
function holdsOn(ground: Ground, isLacking: () => boolean): NonNullable<Floor["holds"]> {
  let last: readonly Use[] | undefined;
  let byNode = new Map<string, Use[]>();
  return (taken, nodes) => {
    if (taken !== last) byNode = Map.groupBy(taken, ({ node }) => node);
    last = taken;
    const uses = [...nodes].flatMap((node) => byNode.get(node) ?? []);
    if (isLacking()) return false;
    const mark = ground.mark();
    for (const { node, requests, count } of uses) ground.takeAt(node, { requests }, count);
    const isEnough = uses.every(({ node, requests }) =>
      requests.entries().every(([resource, amount]) =>
        amount <= 0 || (ground.roomOf(node)?.get(resource) ?? 0) >= 0
      )
    );
    ground.undoTo(mark);
    return isEnough;
  };
}

/** Members of a group to be placed on a ground, of which each floor is another copy. */
function floorOn(
  cleared: Ground,
  { demands, group, levels, looks }: {
    demands: readonly Demand[];
    group: Waiting;
    levels: World["levels"];
    looks: Looks;
  },
): Floor {
  const ground = cleared.fork();
  const regions = new Regions(ground, levels);
  const { composite, refused } = group;
  const part = () => partOf(demands, { ground, composite, refused });
  // Whether a gang's minResources are there shows when its part is made.
  const fixed = demands.some(({ minResources }) => minResources.size > 0) ? undefined : part();
  const kinds = (fixed ?? part()).all.length;
  const holds = holdsOn(ground, () => fixed === undefined && isLacking(part()));
  return {
    take: (pods, sign) => {
      for (const { node, requests } of pods) ground.takeAt(node, { requests }, sign);
    },
    place: () => {
      const mark = ground.mark();
      looks.spend(kinds * ground.size);
      const found = placeTogether(fixed ?? part(), { regions, looks });
      const uses = found?.uses;
      ground.undoTo(mark);
      return uses;
    },
    get holds() {
      return looks.areOver ? holds : undefined;
    },
  };
}
