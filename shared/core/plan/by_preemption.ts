/**
 * For how many members there would be room if pods of a lower priority left.
 *
 * @module
 */
import type { Ground } from "../room/ground.ts";
import type { Demand } from "./demand.ts";
import { shortOfMinResources } from "./demand.ts";
import { neededOf, partOf } from "./part.ts";
import { placeTogether } from "./placing.ts";
import { Regions } from "./regions.ts";
import { shortageOf } from "./shortage.ts";
import type { Waiting, World } from "./world.ts";

/** Members of all gangs together, one gang after another: each victim leaves once. */
export function placedByPreemption(
  demands: readonly Demand[],
  { world, group, ground }: {
    world: World;
    group: Pick<Waiting, "refused">;
    ground: Ground;
  },
): number {
  const evicting = demands.filter((demand) => !shortOfMinResources(demand, ground.rooms))
    .sort((a, b) => a.evictsBelow - b.evictsBelow);
  const victims = [...world.takenBelow(evicting.at(-1)?.evictsBelow ?? -Infinity)];
  if (victims.length === 0) return 0;
  const emptied = ground.fork();
  const regions = new Regions(emptied, world.levels);
  let from = -Infinity;
  let members = 0;
  for (const demand of evicting) {
    const { evictsBelow } = demand;
    for (const { node, requests, priority } of victims) {
      if (priority >= from && priority < evictsBelow) emptied.takeAt(node, { requests }, -1);
    }
    from = evictsBelow;
    const part = partOf([demand], { ground: emptied, refused: group.refused });
    members += placeTogether(part, { regions })
      ? neededOf(part)
      : shortageOf(part, regions).members;
  }
  return members;
}
