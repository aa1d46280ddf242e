/**
 * Gangs that their group can do without, and that have no place beside those that it starts with.
 *
 * @module
 */
import { gangsIn, isSelective, type Part } from "./part.ts";
import type { PlannedWithout } from "./plan.ts";
import type { Regions } from "./regions.ts";
import type { Search } from "./search.ts";
import { shortageOf } from "./shortage.ts";

/** What is left out when all others have their places, and the room that there is for it; undefined: all is needed. */
export function leftOutOf(
  root: Part,
  { search, regions }: { search: Search; regions: Regions },
): readonly PlannedWithout[] | undefined {
  if (!isSelective(root)) return undefined;
  return outermost(root).map((part) => {
    const whose = { part: part.name ?? "", gangs: gangsIn(part) };
    if (part.isBroken) return whose;
    const region = search.regionOf(part, { root });
    return { ...whose, fit: shortageOf(part, { regions, region }) };
  });

  function outermost(part: Part): readonly Part[] {
    if (part.is === "leaf" || !part.isComposite) return [];
    return part.parts.flatMap((each) =>
      each.isBroken || !search.isWhole(each) ? [each] : outermost(each)
    );
  }
}
