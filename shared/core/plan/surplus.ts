/**
 * Places for members beyond what their gang group needs, as far as there is room beside their siblings.
 *
 * @module
 */
import { isAlike, type Use } from "../room/fit.ts";
import type { Alike, Leaf, Part } from "./part.ts";
import type { Region, Regions } from "./regions.ts";
import type { Search } from "./search.ts";

/** Where surplus is placed. */
export interface Placed {
  readonly regions: Regions;
  /** The search that placed what is needed. */
  readonly search: Search;
  /** Places that are kept as far as there is room. */
  readonly before: readonly Use[];
}

/**
 * Places what is left: first what roles lack for their minimum, each as a whole; then parts that are not needed, those that
 * become whole; then members, of all gangs first those that keep their places.
 */
export function placeSurplus(root: Part, { regions, search, before }: Placed): void {
  placeWanted(root);
  placeParts(root);
  placeRest(root, keepMembers);
  placeRest(root, placeMembers);

  /** What roles lack for their minimum; of roles within one that has no members yet so many as it needs, or none. */
  function placeWanted(part: Part): boolean {
    if (part.is === "leaf") {
      const lacks = part.wanted - placedOf(part);
      return lacks <= 0 || placeWhole({ ...part, needed: lacks }, part);
    }
    const mark = search.mark();
    // A gang that is left out begins whole.
    const parts = part.isComposite ? part.parts.filter((each) => search.isWhole(each)) : part.parts;
    const isWhole = parts.filter(placeWanted).length >= part.min;
    if (!isWhole && part.placed.length === 0) search.undoTo(mark);
    return isWhole;
  }

  /** Where it was to go, if all of it finds room there. */
  function placeWhole(part: Part, within: Part): boolean {
    const region = search.regionOf(within, { root });
    const again = nodesBefore(part).filter((node) => region?.includes(node) ?? true);
    return (again.length > 0 && search.placeWithin(part, { uses: before, region: again })) ||
      search.place(part, { region });
  }

  function nodesBefore({ all }: Part): readonly number[] {
    const own = before.filter((use) => all.some((alike) => isAlike(alike, use)));
    return [...new Set(own.flatMap(({ node }) => regions.ground.numberOf(node) ?? []))];
  }

  function placeParts(part: Part): void {
    if (part.isBroken || part.lack) return;
    if (!search.isWhole(part) && !placeWhole(part, part)) return;
    if (part.is === "branch") { for (const each of part.parts) placeParts(each); }
  }

  function placeRest(part: Part, place: (leaf: Leaf) => void): void {
    if (part.isBroken || part.lack || !search.isWhole(part)) return;
    // A role begins whole.
    const isLeftOut = part.is === "leaf" && part.placed.length === 0 &&
      placedOf(part) < part.wanted;
    if (isLeftOut) return;
    if (part.is === "branch") { for (const each of part.parts) placeRest(each, place); }
    else place(part);
  }

  function placedOf({ all }: Leaf): number {
    return all.reduce((sum, alike) => sum + alike.count - search.unplaced(alike), 0);
  }

  /** What slices that have begun lack, then whole ones. */
  function placeSlices(leaf: Leaf): void {
    const { members } = leaf.topology.slice!;
    const unplaced = () => leaf.all.reduce((sum, alike) => sum + search.unplaced(alike), 0);
    const region = search.regionOf(leaf, { root });
    for (const { count } of search.begun({ ...leaf, needed: unplaced() }, region)) {
      search.place({ ...leaf, needed: count }, { region });
    }
    while (unplaced() >= members && search.place({ ...leaf, needed: members }, { region }));
  }

  function keepMembers(leaf: Leaf): void {
    if (leaf.topology.slice || isPlaced(leaf)) return;
    const region = search.regionOf(leaf, { root });
    for (const alike of leaf.all) keep(alike, { leaf, region });
  }

  function isPlaced({ all }: Leaf): boolean {
    return all.every((alike) => search.unplaced(alike) === 0);
  }

  function placeMembers(leaf: Leaf): void {
    if (leaf.topology.slice) return placeSlices(leaf);
    if (isPlaced(leaf)) return;
    const region = search.regionOf(leaf, { root });
    const siblings = search.nodesOf(leaf);
    const area = areaOf(leaf, region);
    for (const inside of regions.choices({ ...leaf, needed: 1 }, { region: area, siblings })) {
      for (const alike of leaf.all) {
        search.fill(alike, { region: inside, count: search.unplaced(alike) });
      }
    }
  }

  /** Where a domain is required, that of its siblings, or the roomiest. */
  function areaOf(leaf: Leaf, region: Region): Region {
    const siblings = search.nodesOf(leaf);
    const bounds = regions.bounds(leaf.topology, { region, siblings });
    if (!bounds) return region;
    if (siblings.length > 0) return bounds.flatMap(({ nodes }) => nodes);
    return regions.roomiest(leaf, bounds);
  }

  /** Where members were to go, as far as that is beside their siblings. */
  function keep(alike: Alike, { leaf, region }: { leaf: Leaf; region: Region }): void {
    const besideSiblings = () => search.nodesOf(leaf).length > 0 ? areaOf(leaf, region) : undefined;
    let area = besideSiblings();
    for (const { node: name, count, ...use } of before) {
      const node = regions.ground.numberOf(name);
      if (node === undefined || !isAlike(alike, use)) continue;
      const within = area ?? region;
      if (within && !within.includes(node)) continue;
      const more = Math.min(count - search.placedOn(alike, node), search.unplaced(alike));
      if (search.fill(alike, { region: [node], count: Math.max(0, more) }) > 0) {
        area ??= besideSiblings();
      }
    }
  }
}
