import type { Plans } from "../../../shared/core/plan/plan.ts";
import type { World } from "../../../shared/core/plan/world.ts";
import type { Use } from "../../../shared/core/room/fit.ts";

/**
 * A group whose members go elsewhere though nothing has changed; undefined: there is none. `plan` plans for a world anew. Which
 * of a group's places are for members that it needs may be another then, and with that what there is for the surplus of others.
 */
export function faultOfReplan(
  world: World,
  plans: Plans,
  plan: (world: World) => Plans,
): string | undefined {
  const placed = ({ byGroup }: Plans, id: string) => {
    const { taken = [], surplus = [] } = byGroup.get(id)!;
    return [...taken, ...surplus];
  };
  const hasSurplus = world.waiting.some(({ id }) => plans.byGroup.get(id)!.surplus?.length);
  if (hasSurplus && world.waiting.length > 1) return undefined;
  const waiting = world.waiting.map((group) => ({
    ...group,
    plan: undefined,
    before: placed(plans, group.id),
  }));
  const again = plan({ ...world, waiting });
  for (const { id } of world.waiting) {
    const [before, after] = [plans, again].map((each) => placesOf(placed(each, id)));
    if (before !== after) return `${id} was to go to ${before}, and goes to ${after}`;
  }
  return undefined;
}

/** As a text, whatever the order. */
function placesOf(uses: readonly Use[]): string {
  const places = uses.flatMap(({ node, kind, role, gang, count }) =>
    Array.from({ length: count }, () => [node, gang, role, kind].join(" "))
  );
  return places.sort().join(", ") || "no place";
}
