/**
 * Which gangs have the nodes, place by place, for whoever looks; no decision reads it.
 *
 * @module
 */

/** What the nodes have of one resource, and who takes it. */
export interface ClusterMap {
  /** RFC 3339. */
  readonly at: string;
  /** The GPUs, or what else gangs are short of: `nvidia.com/gpu`. Amounts are in the scheduler's units. */
  readonly resource: string;
  /** The node labels that name domains, the widest first. */
  readonly levels: readonly string[];
  /** Those with most of the resource first, as `namespace/name`. */
  readonly gangs: readonly string[];
  /** By domain and name. */
  readonly places: readonly MapPlace[];
}

/** A node, all nodes of a domain, or all that are not shown apart. */
export interface MapPlace {
  /** The values of its labels, the widest first, empty where it has none; absent: it is what is left. */
  readonly domain?: readonly string[] | undefined;
  /** Absent: it is more than one. */
  readonly node?: string | undefined;
  /** How many they are that have the resource. */
  readonly nodes: number;
  readonly allocatable: number;
  /** What gangs have that are named; by the number of each. */
  readonly gangs: readonly (MapShare & { readonly gang: number })[];
  /** What all other pods have. */
  readonly others: MapShare;
}

/** Of a resource; what is absent is none. */
export interface MapShare {
  readonly bound?: number | undefined;
  readonly held?: number | undefined;
  /** What members are to take that wait. */
  readonly planned?: number | undefined;
}

/** The map without what these gangs have. */
export function withoutGangs(map: ClusterMap, gone: ReadonlySet<string>): ClusterMap {
  if (gone.size === 0) return map;
  const gangs = map.gangs.filter((id) => !gone.has(id));
  const numbers = new Map(gangs.map((id, number) => [id, number]));
  const places = map.places.map((place) => ({
    ...place,
    gangs: place.gangs.flatMap((share) => {
      const gang = numbers.get(map.gangs[share.gang]!);
      return gang === undefined ? [] : [{ ...share, gang }];
    }),
  }));
  return { ...map, gangs, places };
}
