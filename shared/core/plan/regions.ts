/**
 * The nodes on which a part of a gang group may be placed: the domains of its topology, the best first.
 *
 * @module
 */
import type { Topology } from "../gang/topology.ts";
import { devicesIn } from "../room/fit.ts";
import { type Domains, pathOf } from "../room/domains.ts";
import type { Ground } from "../room/ground.ts";
import { neededOf, type Part } from "./part.ts";

/** Nodes by number; undefined: all. */
export type Region = readonly number[] | undefined;

/** One that has gone, or has not been seen yet. */
export const unknownNode = -1;

/** A domain of a topology. */
export interface Domain {
  /** The values of its labels, the widest first: `b1/r2`. */
  readonly name: string;
  readonly nodes: readonly number[];
}

/** Of what regions are chosen. */
export interface Choosing {
  readonly region: Region;
  /** Nodes of the members of the part that have one. */
  readonly siblings: readonly number[];
}

/** Where the parts of a group may be placed. */
export class Regions {
  readonly ground: Ground;
  readonly #levels: readonly string[];

  /** `levels` are those of the world. */
  constructor(ground: Ground, levels: readonly string[]) {
    this.ground = ground;
    this.#levels = levels;
  }

  /**
   * Where a part may be placed whole: the domains of the most wanted level first, of one level those that hold the most of its
   * siblings, then for a part that asks for no device those where it needs no node on which one is free, then the tightest. Where
   * a domain is required and siblings are in one, there is no other.
   */
  *choices(part: Part, { region, siblings }: Choosing): Iterable<Region> {
    const bounds = this.bounds(part.topology, { region, siblings });
    const roomy = bounds?.filter(({ nodes }) => this.roomFor(part, nodes) >= neededOf(part));
    if (roomy?.length === 0) return;
    const areas = roomy?.map(({ nodes }) => nodes) ?? [region];
    for (const key of part.topology.preferred ?? []) {
      const all = this.#domainsOf(key, part.topology);
      const domains = areas.flatMap((area) => domainsIn(all, area));
      yield* this.#bestFirst(part, domains, siblings);
    }
    if (roomy) yield* this.#bestFirst(part, roomy, siblings);
    else yield region;
  }

  /**
   * The domains in which all members are required to be, one of them; undefined: none is. Where the domain of those that have a
   * node is not known, none will do.
   */
  bounds(topology: Topology, { region, siblings }: Choosing): readonly Domain[] | undefined {
    const { required } = topology;
    if (required === undefined) return undefined;
    const domains = this.domains(required, { topology, region });
    if (siblings.length === 0) return domains;
    // Those of siblings may be elsewhere than the region, as where that is only preferred.
    const all = this.#domainsOf(required, topology);
    const theirs = new Set(siblings.flatMap((node) => all.names[all.of(node)] ?? []));
    const isOpen = theirs.size === 0 && !siblings.includes(unknownNode);
    return isOpen ? domains : domains.filter(({ name }) => theirs.has(name));
  }

  /** The domains of a key within a region; nodes without that label are in none. */
  domains(
    key: string,
    { topology, region }: { topology: Topology; region: Region },
  ): readonly Domain[] {
    return domainsIn(this.#domainsOf(key, topology), region);
  }

  /**
   * Where members may be for whom a domain may be required: beside the siblings; where there are none in any one domain, in the one
   * first that has room for the most of them.
   */
  areas(
    members: Pick<Part, "all">,
    { topology, region, siblings }: Choosing & { readonly topology: Topology },
  ): readonly Region[] {
    const bounds = this.bounds(topology, { region, siblings });
    if (!bounds) return [region];
    if (siblings.length > 0) return [bounds.flatMap(({ nodes }) => nodes)];
    return bounds.map(({ nodes }) => ({ nodes, room: this.roomFor(members, nodes) }))
      .sort((a, b) => b.room - a.room).map(({ nodes }) => nodes);
  }

  /** So many members of the part have room there, if none takes any from another. */
  roomFor({ all }: Pick<Part, "all">, region: Region): number {
    return all.reduce((sum, alike) => sum + this.ground.roomFor(alike, region), 0);
  }

  #domainsOf(key: string, topology: Topology): Domains {
    return this.ground.domains(pathOf(key, { topology, levels: this.#levels }));
  }

  *#bestFirst(
    part: Part,
    domains: readonly Domain[],
    siblings: readonly number[],
  ): Iterable<Region> {
    const needed = neededOf(part);
    const asksForDevice = part.all.some(({ requests }) => devicesIn(requests) > 0);
    const theirs = new Set(siblings);
    const choices = domains.map(({ nodes }) => ({
      nodes,
      room: this.roomFor(part, nodes),
      isBesideDevices: !asksForDevice &&
        this.roomFor(part, this.ground.withoutDevices(nodes)) < needed,
      siblings: theirs.size > 0 ? nodes.filter((node) => theirs.has(node)).length : 0,
    })).filter(({ room }) => room >= needed);
    choices.sort((a, b) =>
      b.siblings - a.siblings || Number(a.isBesideDevices) - Number(b.isBesideDevices) ||
      a.room - b.room
    );
    for (const { nodes } of choices) yield nodes;
  }
}

function domainsIn(all: Domains, region: Region): readonly Domain[] {
  if (!region) return all.names.map((name, domain) => ({ name, nodes: all.nodes[domain]! }));
  const within = new Map<number, number[]>();
  for (const node of region) {
    const domain = all.of(node);
    if (domain < 0) continue;
    const nodes = within.get(domain);
    if (nodes) nodes.push(node);
    else within.set(domain, [node]);
  }
  return [...within].map(([domain, nodes]) => ({ name: all.names[domain]!, nodes }));
}
