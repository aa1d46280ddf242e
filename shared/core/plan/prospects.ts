/**
 * Which gang groups the nodes could never take, remembered for as long as the nodes stay as they are.
 *
 * @module
 */
import { gangId, type Impossible } from "../gang/facts.ts";
import { copyOf, type Room, take } from "../room/fit.ts";
import { impossible } from "../room/fit_impossible.ts";
import { groundOf } from "../room/ground.ts";
import { type Demand, ownOf } from "./demand.ts";
import { gangsIn, isSelective, neededOf, type Part } from "./part.ts";
import type { Looked } from "./planning.ts";
import { Regions } from "./regions.ts";
import type { World } from "./world.ts";

/** Shapes of demands that are remembered. */
const rememberedShapes = 5000;

type Answers = Map<string, Impossible | undefined>;

/** By what the nodes have, and by the shape of what a group needs. */
const known = new WeakMap<Room, Answers>();

/** Why the nodes could never take what a group needs beside its members that have a node; undefined where they may. */
export function impossibleFor(
  { demands, part, shape }: Looked,
  { world }: { world: World },
): Impossible | undefined {
  const capacity = world.capacity();
  const placed = demands.flatMap((demand) => demand.placed);
  if (placed.length > 0) {
    const rest = copyOf(capacity);
    for (const { node, requests } of placed) take(rest, node, { requests });
    return impossibleOn(rest);
  }
  const answers = answersOn(capacity);
  if (!answers.has(shape)) answers.set(shape, impossibleOn(capacity));
  return answers.get(shape);

  function impossibleOn(room: Room): Impossible | undefined {
    const ground = groundOf({ free: room, labelsOf: world.labelsOf });
    return impossibleIn(part, { demands, room, capacity: new Regions(ground, world.levels) });
  }
}

interface Empty {
  readonly demands: readonly Demand[];
  readonly room: Room;
  readonly capacity: Regions;
}

/** Where some of a composite's parts will do, why too many of them could never start. */
function impossibleIn(part: Part, empty: Empty): Impossible | undefined {
  const { demands, room, capacity } = empty;
  if (part.is === "leaf" || !isSelective(part)) {
    const needs = demands.map((demand) => ({ ...demand, own: ownOf(demand) }));
    return impossible(needs, room) ?? withoutDomain(part, capacity);
  }
  const each = part.parts.filter(({ isBroken }) => !isBroken).map((one) => {
    const gangs = new Set(gangsIn(one));
    const own = demands.filter(({ facts }) => gangs.has(gangId(facts.gang)));
    return impossibleIn(one, { ...empty, demands: own });
  });
  const possible = each.filter((one) => one === undefined).length;
  return possible < part.min
    ? each.find((one) => one !== undefined)
    : withoutDomain(part, capacity);
}

/**
 * Of the domains that members are required to share none has room for them all, even if no kind takes any from another; what the
 * scheduler refuses now it may take another time.
 */
function withoutDomain(part: Part, capacity: Regions): Impossible | undefined {
  if (part.all.some(({ refused }) => refused !== undefined)) return undefined;
  const domains = capacity.bounds(part.topology, { region: undefined, siblings: [] });
  const asks = neededOf(part);
  const rooms = domains?.map(({ nodes }) =>
    part.all.reduce(
      (sum, alike) => sum + Math.min(alike.count, capacity.ground.roomFor(alike, nodes)),
      0,
    )
  );
  const largest = rooms ? Math.max(0, ...rooms) : Infinity;
  if (largest < asks) return { scope: "domain", asks, largest };
  if (part.is === "leaf" || part.min < part.parts.length) return undefined;
  for (const each of part.parts) {
    const found = withoutDomain(each, capacity);
    if (found) return found;
  }
  return undefined;
}

function answersOn(capacity: Room): Answers {
  const answers = known.get(capacity);
  if (answers && answers.size < rememberedShapes) return answers;
  const none: Answers = new Map();
  known.set(capacity, none);
  return none;
}
