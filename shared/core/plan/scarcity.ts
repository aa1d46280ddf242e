/**
 * What has hardly more room than it needs: placed last it finds that taken by those that could go anywhere.
 *
 * @module
 */
import type { Ground } from "../room/ground.ts";
import { type Alike, neededOf, type Part } from "./part.ts";
import type { Region, Regions } from "./regions.ts";

/** Where room is looked for. */
interface Where {
  readonly regions: Regions;
  readonly region: Region;
}

/** The parts that have the least room to spare first; of equals the order stays. */
export function scarcestParts(parts: readonly Part[], where: Where): readonly Part[] {
  return sorted(parts, (part) => spareFor(part, where));
}

/** The same of kinds, of which so many members have no place yet. */
export function scarcestKinds(
  kinds: readonly Alike[],
  { unplaced, ...where }: Where & { unplaced: (alike: Alike) => number },
): readonly Alike[] {
  const { regions: { ground }, region } = where;
  return sorted(kinds, (alike) => ground.roomFor(alike, region) - unplaced(alike));
}

/** The nodes first that the fewest others could take; of equals the order stays. */
export function leastWanted(
  nodes: readonly number[],
  { rivals, ground }: { rivals: readonly Alike[]; ground: Ground },
): readonly number[] {
  if (rivals.length === 0) return nodes;
  const wanted = new Map<number, number>();
  for (const alike of rivals) {
    for (const node of nodes) {
      if (ground.fits(alike, node) > 0) wanted.set(node, (wanted.get(node) ?? 0) + 1);
    }
  }
  return sorted(nodes, (node) => wanted.get(node) ?? 0);
}

/** So many more members of its scarcest kind have room than there are, in the domain where that is the most. */
function spareFor(part: Part, { regions, region }: Where): number {
  const needed = neededOf(part);
  if (needed === 0) return Infinity;
  const bounds = regions.bounds(part.topology, { region, siblings: [] });
  const areas = bounds?.map(({ nodes }) => nodes) ?? [region];
  const spares = areas.map((area) =>
    Math.min(
      ...part.all.map((alike) =>
        regions.ground.roomFor(alike, area) - Math.min(alike.count, needed)
      ),
    )
  );
  return Math.max(...spares);
}

/** The least first. */
function sorted<T>(items: readonly T[], rankOf: (item: T) => number): readonly T[] {
  return items.map((item) => ({ item, rank: rankOf(item) }))
    .sort((a, b) => a.rank === b.rank ? 0 : a.rank - b.rank).map(({ item }) => item);
}
