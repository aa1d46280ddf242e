/**
 * Places for members beyond what their gang group needs, as far as there is room beside their siblings.
 *
 * @module
 */
import { isAlike, type Use } from "../room/fit.ts";
import { type Alike, hasAll, type Leaf, type Part } from "./part.ts";
import type { Region, Regions } from "./regions.ts";
import type { Search } from "./search.ts";
import type { Lost } from "./lost.ts";

/** Where surplus is placed. */
export interface Placed {
  readonly regions: Regions;
  /** The search that placed what is needed. */
  readonly search: Search;
  /** Places that are kept as far as there is room. */
  readonly before: readonly Use[];
  /** Only what gangs that run have lost; absent: all. */
  readonly lost?: Lost | undefined;
}

/**
 * Places what is left: first what roles lack for their minimum, each as a whole; then parts that are not needed, those that
 * become whole; then members, of all gangs first those that keep their places.
 */
export function placeSurplus(root: Part, placed: Placed): void {
  const surplus = new Surplus(root, placed);
  surplus.placeWanted(root);
  if (placed.lost === undefined) surplus.placeParts(root);
  surplus.placeRest(root, (leaf) => surplus.keepMembers(leaf));
  surplus.placeRest(root, (leaf) => surplus.placeMembers(leaf));
}

/** Members beyond what the tree at `root` needs. */
class Surplus {
  readonly #root: Part;
  readonly #regions: Regions;
  readonly #search: Search;
  readonly #before: readonly Use[];
  readonly #lost: Lost | undefined;
  /** Of gangs that have lost members so many had a place before. */
  readonly #placedBefore = new Map<string | undefined, number>();

  constructor(root: Part, { regions, search, before, lost }: Placed) {
    this.#root = root;
    this.#regions = regions;
    this.#search = search;
    this.#before = before;
    this.#lost = lost;
    if (!lost) return;
    const gangs = new Set(root.all.map(({ gang }) => gang));
    for (const gang of gangs) this.#placedBefore.set(gang, this.#placedOf(gang));
  }

  /** So many more of a kind may be placed. */
  #open(alike: Alike): number {
    const unplaced = this.#search.unplaced(alike);
    if (!this.#lost) return unplaced;
    const { gang } = alike;
    const [only = 0] = this.#lost.values();
    const lost = gang === undefined ? only : this.#lost.get(gang) ?? 0;
    const left = lost + this.#placedBefore.get(gang)! - this.#placedOf(gang);
    return Math.max(0, Math.min(left, unplaced));
  }

  #placedOf(gang: string | undefined): number {
    return this.#search.placedOf(this.#root.all.filter((alike) => alike.gang === gang));
  }

  /** What roles lack for their minimum; of roles within one that has no members yet so many as it needs, or none. */
  placeWanted(part: Part): boolean {
    if (part.is === "leaf") {
      const lacks = part.wanted - this.#search.placedOf(part.all);
      return lacks <= 0 || this.#placeWhole({ ...part, needed: lacks }, part);
    }
    const mark = this.#search.mark();
    // A gang that is left out begins whole.
    const parts = part.isComposite
      ? part.parts.filter((each) => this.#search.isWhole(each))
      : part.parts;
    const isWhole = parts.filter((each) => this.placeWanted(each)).length >= part.min;
    if (!isWhole && part.placed.length === 0) this.#search.undoTo(mark);
    return isWhole;
  }

  /** Parts that are not needed, each that becomes whole. */
  placeParts(part: Part): void {
    if (part.isBroken || part.lack) return;
    if (!this.#search.isWhole(part) && !this.#placeWhole(part, part)) return;
    if (part.is === "branch") { for (const each of part.parts) this.placeParts(each); }
  }

  /** Members of what is whole, a leaf after another. */
  placeRest(part: Part, place: (leaf: Leaf) => void): void {
    if (part.isBroken || part.lack || !this.#search.isWhole(part)) return;
    const isComposite = part.is === "branch" && part.isComposite;
    // A role begins whole.
    if (!isComposite && part.placed.length === 0 && !hasAll(part, this.#search)) return;
    if (part.is === "branch") { for (const each of part.parts) this.placeRest(each, place); }
    else place(part);
  }

  /** Those that were to go somewhere, there. */
  keepMembers(leaf: Leaf): void {
    if (leaf.topology.slice || this.#isPlaced(leaf)) return;
    const region = this.#regionOf(leaf);
    for (const alike of leaf.all) this.#keep(alike, { leaf, region });
  }

  /** All others, wherever they may go. */
  placeMembers(leaf: Leaf): void {
    if (leaf.topology.slice) return this.#placeSlices(leaf);
    if (this.#isPlaced(leaf)) return;
    const region = this.#regionOf(leaf);
    const siblings = this.#search.nodesOf(leaf);
    const area = this.#areaOf(leaf, region);
    for (
      const inside of this.#regions.choices({ ...leaf, needed: 1 }, { region: area, siblings })
    ) {
      for (const alike of leaf.all) {
        this.#search.fill(alike, { region: inside, count: this.#open(alike) });
      }
    }
  }

  /** Where it was to go, if all of it finds room there. */
  #placeWhole(part: Part, within: Part): boolean {
    const region = this.#regionOf(within);
    const again = this.#nodesBefore(part).filter((node) => region?.includes(node) ?? true);
    const isAgain = again.length > 0 &&
      this.#search.placeWithin(part, { uses: this.#before, region: again });
    return isAgain || this.#search.place(part, { region });
  }

  #nodesBefore({ all }: Part): readonly number[] {
    const own = this.#before.filter((use) => all.some((alike) => isAlike(alike, use)));
    return [...new Set(own.flatMap(({ node }) => this.#regions.ground.numberOf(node) ?? []))];
  }

  /** What slices that have begun lack, then whole ones, as many as there is room for at a time. */
  #placeSlices(leaf: Leaf): void {
    const { members } = leaf.topology.slice!;
    const region = this.#regionOf(leaf);
    const begun = this.#search.begun(
      { ...leaf, needed: this.#search.unplacedOf(leaf.all) },
      region,
    );
    for (const { count } of begun) this.#search.place({ ...leaf, needed: count }, { region });
    let slices = Infinity;
    while (slices > 0) {
      slices = Math.min(slices, Math.floor(this.#search.unplacedOf(leaf.all) / members));
      const needed = slices * members;
      if (!this.#search.place({ ...leaf, needed }, { region })) slices >>= 1;
    }
  }

  /** Where members were to go, as far as that is beside their siblings. */
  #keep(alike: Alike, { leaf, region }: { leaf: Leaf; region: Region }): void {
    const { required } = leaf.topology;
    const besideSiblings = () =>
      required !== undefined && this.#search.nodesOf(leaf).length > 0
        ? this.#areaOf(leaf, region)
        : undefined;
    let area = besideSiblings();
    for (const { node: name, count, ...use } of this.#before) {
      const node = this.#regions.ground.numberOf(name);
      if (node === undefined || !isAlike(alike, use)) continue;
      const within = area ?? region;
      if (within && !within.includes(node)) continue;
      const more = Math.min(count - this.#search.placedOn(alike, node), this.#open(alike));
      if (this.#search.fill(alike, { region: [node], count: Math.max(0, more) }) > 0) {
        area ??= besideSiblings();
      }
    }
  }

  #regionOf(part: Part): Region {
    return this.#search.regionOf(part, { root: this.#root });
  }

  /** Where a domain is required, that of its siblings, or the roomiest. */
  #areaOf(leaf: Leaf, region: Region): Region {
    const siblings = this.#search.nodesOf(leaf);
    const areas = this.#regions.areas(leaf, { topology: leaf.topology, region, siblings });
    return areas.length > 0 ? areas[0] : [];
  }

  #isPlaced({ all }: Leaf): boolean {
    return this.#search.unplacedOf(all) === 0;
  }
}
