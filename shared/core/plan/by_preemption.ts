/**
 * For how many members there would be room if pods of a lower priority left.
 *
 * @module
 */
import { isSelective } from "../gang/composites.ts";
import type { Ground } from "../room/ground.ts";
import type { Demand } from "./demand.ts";
import { shortOfMinResources } from "./demand.ts";
import type { Looks } from "./looks.ts";
import { neededOf, partOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import { Regions } from "./regions.ts";
import { shortageOf } from "./shortage.ts";
import type { Waiting, World } from "./world.ts";

/**
 * Members of all gangs together, one gang after another: each victim leaves once. Where some of the gangs will do, of those for
 * which pods leave that all of them may evict.
 */
export function placedByPreemption(
  demands: readonly Demand[],
  { world, group, ground, looks }: {
    world: World;
    group: Pick<Waiting, "refused" | "composite">;
    ground: Ground;
    looks: Looks;
  },
): number {
  const { composite, refused } = group;
  if (composite && isSelective(composite)) {
    const below = Math.min(...demands.map(({ evictsBelow }) => evictsBelow));
    const emptied = ground.fork();
    for (const { node, requests } of world.takenBelow(below)) {
      emptied.takeAt(node, { requests }, -1);
    }
    return placedOn(emptied, { demands, levels: world.levels, composite, refused, looks });
  }
  const evicting = demands.filter((demand) => !shortOfMinResources(demand, ground.rooms))
    .sort((a, b) => a.evictsBelow - b.evictsBelow);
  const victims = [...world.takenBelow(evicting.at(-1)?.evictsBelow ?? -Infinity)];
  if (victims.length === 0) return 0;
  const emptied = ground.fork();
  let from = -Infinity;
  let members = 0;
  for (const demand of evicting) {
    const { evictsBelow } = demand;
    for (const { node, requests, priority } of victims) {
      if (priority >= from && priority < evictsBelow) emptied.takeAt(node, { requests }, -1);
    }
    from = evictsBelow;
    members += placedOn(emptied, { demands: [demand], levels: world.levels, refused, looks });
  }
  return members;
}

function placedOn(
  ground: Ground,
  { demands, levels, composite, refused, looks }: Pick<Waiting, "refused" | "composite"> & {
    demands: readonly Demand[];
    levels: World["levels"];
    looks: Looks;
  },
): number {
  const part = partOf(demands, { ground, composite, refused });
  const regions = new Regions(ground, levels);
  const found = placeTogether(part, { regions, looks });
  return found ? neededOf(part) : shortageOf(part, { regions }).members;
}
