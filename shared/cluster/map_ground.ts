/**
 * The places on the map of a cluster: its nodes, or where these are many, domains of them.
 *
 * @module
 */
import type { MapPlace } from "../core/gang/cluster_map.ts";
import { labelOf } from "../core/gang/label.ts";
import { limits } from "../core/gang/limits.ts";
import { amountsOf } from "../kubernetes/counting/requests.ts";
import type { Node } from "../kubernetes/types.ts";

/** Nodes that have a resource, and where they are on the map. */
export interface MapGround {
  /** The labels that name domains, the widest first, as far as nodes have them. */
  readonly levels: readonly string[];
  readonly places: readonly Pick<MapPlace, "domain" | "node" | "nodes" | "allocatable">[];
  /** By name, the number of each node's place, and what the node has. */
  readonly nodes: ReadonlyMap<string, { readonly place: number; readonly allocatable: number }>;
}

interface Placed {
  readonly name: string;
  readonly domain: readonly string[];
  readonly allocatable: number;
}

interface Place extends Pick<MapPlace, "domain" | "node"> {
  readonly nodes: readonly Placed[];
}

/** Numbers in names count as numbers: `r9` comes before `r10`. */
const names = new Intl.Collator("en", { numeric: true });

/** The ground of these nodes, by the narrowest of these levels that few enough places have. */
export function mapGroundOf(
  nodes: Iterable<Node>,
  { resource, levels }: { resource: string; levels: readonly string[] },
): MapGround {
  const allocatableOf = reader(resource);
  const having = [...nodes].map((node) => ({ node, allocatable: allocatableOf(node) }))
    .filter(({ allocatable }) => allocatable > 0);
  const known = levels.filter((level) =>
    having.some(({ node }) => labelOf(node.metadata.labels, level) !== undefined)
  ).slice(0, limits.mapLevels);
  const placed = having.map(({ node: { metadata }, allocatable }) => ({
    name: metadata.name,
    domain: known.map((level) => labelOf(metadata.labels, level) ?? ""),
    allocatable,
  }));
  const places = fewEnough(placesOf(placed, known.length));
  return {
    levels: known.slice(0, places[0]?.domain?.length),
    places: places.map(({ nodes, ...place }) => ({
      ...place,
      nodes: nodes.length,
      allocatable: nodes.reduce((sum, { allocatable }) => sum + allocatable, 0),
    })),
    nodes: new Map(
      places.flatMap(({ nodes }, place) =>
        nodes.map(({ name, allocatable }) => [name, { place, allocatable }] as const)
      ),
    ),
  };
}

/** What a node has of one resource. Most have the same: a text is read once, and nothing else of the nodes. */
function reader(resource: string): (node: Node) => number {
  const known = new Map<string, number>();
  return ({ status }) => {
    const text = status?.allocatable?.[resource];
    if (text === undefined) return 0;
    const amount = known.get(text) ?? amountsOf({ [resource]: text }).get(resource) ?? 0;
    known.set(text, amount);
    return amount;
  };
}

/** Levels by how few domains they have, the widest first: nobody says how they are nested. */
export function widestFirst(levels: readonly string[], nodes: Iterable<Node>): string[] {
  const values = new Map(levels.map((level) => [level, new Set<string>()]));
  for (const { metadata: { labels = {} } } of nodes) {
    for (const [level, seen] of values) {
      const value = labelOf(labels, level);
      if (value !== undefined) seen.add(value);
    }
  }
  const sizeOf = (level: string) => values.get(level)!.size;
  return levels.toSorted((a, b) => sizeOf(a) - sizeOf(b) || names.compare(a, b));
}

/** One by one where they are few, else by the narrowest level that has few domains; else by the widest. */
function placesOf(placed: readonly Placed[], levels: number): Place[] {
  if (placed.length <= limits.mapPlaces || levels === 0) {
    return placed.map((node) => ({ domain: node.domain, node: node.name, nodes: [node] }));
  }
  for (let depth = levels;; depth--) {
    const domains = Map.groupBy(placed, ({ domain }) => domain.slice(0, depth).join("/"));
    if (domains.size > limits.mapPlaces && depth > 1) continue;
    return [...domains.values()].map((nodes) => ({
      domain: nodes[0]!.domain.slice(0, depth),
      nodes,
    }));
  }
}

/** In the order of their names; where they are too many, the last one is all that are left. */
function fewEnough(places: readonly Place[]): Place[] {
  const isMore = places.length > limits.mapPlaces;
  const shown = isMore ? places.slice(0, limits.mapPlaces - 1) : [...places];
  shown.sort((a, b) => names.compare(nameOf(a), nameOf(b)));
  if (!isMore) return shown;
  return [...shown, { nodes: places.slice(shown.length).flatMap(({ nodes }) => nodes) }];
}

function nameOf({ domain = [], node = "" }: Place): string {
  return [...domain, node].join("/");
}
