/**
 * What a gang group finds where it does not find room for all that it needs.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";
import { limits } from "../gang/limits.ts";
import {
  amountOf,
  fitting,
  isExclusive,
  noNodes,
  noTakingNodes,
  noUntakenNodes,
} from "../room/fit.ts";
import { type Alike, type Branch, leavesOf, neededOf, type Part } from "./part.ts";
import type { Domain, Region, Regions } from "./regions.ts";
import { Search } from "./search.ts";

/** Domains that are looked at closely: of one level, and of all together, because each may have others within it. */
const looked = 10;
const lookedInAll = 200;

/** Nodes that say by what they have what most of them lack. */
const asked = 200;

type Found = Omit<Fit, "of">;

/** How many members find room in a region, though not all of them, and of what there is too little. Nothing is placed. */
export function shortageOf(
  part: Part,
  { regions, region }: { regions: Regions; region?: Region },
): Fit {
  const of = neededOf(part);
  const count = new Count(regions);
  const { members, ...found } = count.of(part, region);
  count.end();
  return { members: Math.max(0, Math.min(members, of - 1)), of, ...found };
}

/** Counts members where those that were counted before leave room. */
class Count {
  readonly #regions: Regions;
  readonly #search: Search;
  #left = lookedInAll;

  constructor(regions: Regions) {
    this.#regions = regions;
    this.#search = new Search(regions);
  }

  /** Takes everything back. */
  end(): void {
    this.#search.undoTo(0);
  }

  of(part: Part, region?: Region): Found {
    const found = this.#inDomains(part, region);
    if (!part.lack) return found;
    const { resource: shortOf, asks, free } = part.lack;
    const minResources = { asks, free, members: found.members };
    return { members: 0, shortOf, isForMinResources: true, minResources };
  }

  /** Where a domain is required, those in the one that has room for the most. */
  #inDomains(part: Part, region: Region): Found {
    const { required } = part.topology;
    const siblings = this.#search.nodesOf(part);
    const bounds = this.#regions.bounds(part.topology, { region, siblings });
    if (required === undefined || !bounds) return this.#within(part, region);
    const near = this.#nearest(part, bounds);
    const found = this.#within(part, near[0]?.nodes ?? []);
    const of = neededOf(part);
    if (found.members >= of || near.length === 0) return found;
    // Where there is only one, that is where they were counted.
    const best = near.map(({ name, members }) => ({ name, members: members ?? found.members }));
    return { ...found, domains: { key: required, of, best } };
  }

  /** The domains that come nearest to having room for a part, and for how many members; of an only one that is not asked. */
  #nearest(part: Part, bounds: readonly Domain[]): (Domain & { readonly members?: number })[] {
    const most = Math.max(1, Math.min(looked, this.#left));
    const roomiest = bounds.map((domain) => ({
      domain,
      room: this.#regions.roomFor(part, domain.nodes),
    })).sort((a, b) => b.room - a.room).slice(0, most).map(({ domain }) => domain);
    if (roomiest.length === 1) return roomiest;
    this.#left -= roomiest.length;
    // Of those that are as near one that room will do for, which comes.
    return roomiest.map((domain) => ({ ...domain, ...this.#triedIn(part, domain) }))
      .sort((a, b) => b.members - a.members || a.lacksNodes - b.lacksNodes)
      .slice(0, limits.domains);
  }

  /** How many members find room in a domain, and whether it is nodes that it lacks; nothing is placed. */
  #triedIn(part: Part, { nodes }: Domain): { members: number; lacksNodes: number } {
    const mark = this.#search.mark();
    const { members, shortOf } = this.#within(part, nodes);
    this.#search.undoTo(mark);
    return { members, lacksNodes: Number(shortOf === noNodes || shortOf === noTakingNodes) };
  }

  #within(part: Part, region: Region): Found {
    if (part.is === "leaf") {
      if (part.topology.slice) return this.#slices(part, region);
      return this.#members(part.all, { region, count: part.needed });
    }
    const found = this.#parts(part, region);
    const members = found.reduce((sum, one) => sum + one.members, 0);
    const short = found.find(({ shortOf, domains }) => shortOf ?? domains);
    const others = this.#others(part, { region, count: part.members - members });
    const lacking = found.reduce((sum, one) => sum + (one.minResources?.members ?? 0), 0);
    return {
      ...short,
      ...(short?.minResources && { minResources: { ...short.minResources, members: lacking } }),
      ...(others.shortOf && !short && { shortOf: others.shortOf }),
      members: members + others.members,
    };
  }

  /** Of those parts that are needed; where not all are, the ones that lack least. */
  #parts({ parts, min }: Branch, region: Region): Found[] {
    const found = parts.map((part) => ({ part, found: this.of(part, region) }));
    if (min === parts.length) return found.map(({ found }) => found);
    return found.filter(({ part }) => !part.isBroken)
      .map(({ part, found }) => ({ lacks: neededOf(part) - found.members, found }))
      .sort((a, b) => a.lacks - b.lacks).slice(0, min).map(({ found }) => found);
  }

  /** Members that a gang needs beside those of its roles. */
  #others(part: Branch, { region, count }: { region: Region; count: number }): Found {
    let left = count;
    let shortOf: string | undefined;
    for (const leaf of leavesOf(part)) {
      if (left <= 0) break;
      const within = this.#search.regionOf(leaf, { root: part, region });
      const found = this.#inDomains({ ...leaf, needed: left }, within);
      left -= found.members;
      shortOf ??= found.shortOf;
    }
    return { members: Math.max(0, count) - Math.max(0, left), ...(shortOf && { shortOf }) };
  }

  /** Those of the largest kinds, or where there are more than are needed, and more find room then, of the smallest. */
  #members(kinds: readonly Alike[], wanted: { region: Region; count: number }): Found {
    const mark = this.#search.mark();
    const found = this.#inOrder(kinds, wanted);
    const unplaced = kinds.reduce((sum, alike) => sum + this.#search.unplaced(alike), 0);
    if (found.members === wanted.count || kinds.length < 2 || unplaced === 0) return found;
    this.#search.undoTo(mark);
    const smallest = this.#inOrder(kinds.toReversed(), wanted);
    if (smallest.members > found.members) return smallest;
    this.#search.undoTo(mark);
    return this.#inOrder(kinds, wanted);
  }

  #inOrder(kinds: readonly Alike[], { region, count }: { region: Region; count: number }): Found {
    let members = 0;
    let shortOf: string | undefined;
    for (const alike of kinds) {
      const wanted = Math.min(this.#search.unplaced(alike), count - members);
      if (wanted <= 0) continue;
      const placed = this.#search.fill(alike, { region, count: wanted });
      members += placed;
      if (placed < wanted) shortOf ??= this.#shortResource(alike, region);
    }
    return { members, ...(shortOf && members < count && { shortOf }) };
  }

  /** Whole slices, and the domains that come nearest to one more. */
  #slices(leaf: Extract<Part, { is: "leaf" }>, region: Region): Found {
    const { key, members: of } = leaf.topology.slice!;
    const left: { name: string; nodes: readonly number[]; room: number }[] = [];
    let members = 0;
    for (const { name, nodes } of this.#regions.domains(key, { topology: leaf.topology, region })) {
      const room = this.#regions.roomFor(leaf, nodes);
      const count = Math.min(leaf.needed - members, room - room % of);
      members += this.#members(leaf.all, { region: nodes, count }).members;
      left.push({ name, nodes, room: room % of });
    }
    if (members >= leaf.needed || left.length === 0) return { members };
    const near = left.sort((a, b) => b.room - a.room).slice(0, limits.domains);
    const best = near.map(({ name, nodes, room: count }) => {
      const mark = this.#search.mark();
      const inside = this.#members(leaf.all, { region: nodes, count });
      this.#search.undoTo(mark);
      return { name, members: inside.members };
    });
    return { members, domains: { key, of, best } };
  }

  /** The resource that keeps a member from most nodes it may run on, or what else does. */
  #shortResource({ requests, mayRunOn, refused }: Alike, region: Region): string {
    const { ground } = this.#regions;
    const lacking = [...requests].map(([resource, amount]) => ({ resource, amount, nodes: 0 }));
    const most = refused ? Infinity : asked;
    let nodes = 0;
    for (const node of region ?? ground.rooms.keys()) {
      if (nodes === most) break;
      const free = ground.rooms[node];
      if (!free) continue;
      const name = ground.nameOf(node);
      if (refused?.more.has(name) && fitting(requests, free) > 0) return noTakingNodes;
      if (!mayRunOn(name)) continue;
      nodes++;
      for (const one of lacking) {
        if (one.amount > 0 && one.amount > amountOf(free, one.resource)) one.nodes++;
      }
    }
    if (nodes === 0) return noNodes;
    const short = lacking.sort((a, b) => b.nodes - a.nodes)[0]?.resource ?? "pods";
    return isExclusive(short) ? noUntakenNodes : short;
  }
}
