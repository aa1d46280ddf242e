/**
 * Whether gangs find room together, found by trying everything: for clusters of a few nodes, and apart from how plans look for it.
 *
 * @module
 */

/** Amounts by resource. */
export type Amounts = ReadonlyMap<string, number>;

/** What is free by node, to take from. */
export type Free = Map<string, Map<string, number>>;

/** Members that are alike. */
export interface Sort {
  readonly count: number;
  readonly requests: Amounts;
  readonly mayRunOn: (node: string) => boolean;
  readonly role?: string | undefined;
}

/** The domains of which members may use one. */
export interface Within {
  /** Undefined: the node is in none. */
  readonly domainOf: (node: string) => string | undefined;
  /** Absent: any will do. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** What a gang needs. */
export interface Seeking {
  readonly sorts: readonly Sort[];
  readonly needed: number;
  readonly within?: Within | undefined;
  readonly roles?: readonly RoleSeeking[] | undefined;
}

/** What a role needs of that. */
export interface RoleSeeking {
  readonly name: string;
  readonly needed: number;
  readonly within?: Within | undefined;
}

/** The same room, to take from. */
export function copied(free: ReadonlyMap<string, Amounts>): Free {
  return new Map([...free].map(([node, amounts]) => [node, new Map(amounts)]));
}

/** Takes so many requests (or, below 0, gives them back); whether as much was there. */
export function takeFrom(
  free: Free,
  { node, requests, count }: { node: string; requests: Amounts; count: number },
): boolean {
  const room = free.get(node);
  if (!room) return false;
  let isThere = true;
  for (const [resource, amount] of requests) {
    if (amount <= 0) continue;
    const left = (room.get(resource) ?? 0) - count * amount;
    room.set(resource, left);
    if (left < 0) isThere = false;
  }
  return isThere;
}

/** So many requests find room on a node that has this free. */
export function timesIn(room: Amounts, requests: Amounts): number {
  let times = Infinity;
  for (const [resource, amount] of requests) {
    if (amount > 0) times = Math.min(times, Math.floor((room.get(resource) ?? 0) / amount));
  }
  return Math.max(0, times);
}

/** So many members of a sort find room on nodes. */
export function placesFor(
  { requests, mayRunOn }: Sort,
  { free, isIn = () => true }: {
    free: ReadonlyMap<string, Amounts>;
    isIn?: (node: string) => boolean;
  },
): number {
  let places = 0;
  for (const [node, room] of free) {
    if (isIn(node) && mayRunOn(node)) places += timesIn(room, requests);
  }
  return places;
}

/** So many members of a sort, on these nodes. */
interface Lot {
  readonly sort: Sort;
  readonly count: number;
  readonly isIn: (node: string) => boolean;
}

/** Whether all gangs find room for what they need. */
export function canPlace(gangs: readonly Seeking[], free: ReadonlyMap<string, Amounts>): boolean {
  const nodes = [...free.keys()];
  const choose = (index: number, lots: readonly Lot[]): boolean => {
    const gang = gangs[index];
    if (!gang) return canSpread(lots, copied(free));
    for (const lots1 of lotsOf(gang, nodes)) {
      if (choose(index + 1, [...lots, ...lots1])) return true;
    }
    return false;
  };
  return choose(0, []);
}

/** Every choice of members, and of the domains that they use. */
function* lotsOf(gang: Seeking, nodes: readonly string[]): Iterable<readonly Lot[]> {
  const { sorts, needed, roles = [], within } = gang;
  const least = Math.max(needed, roles.reduce((sum, role) => sum + role.needed, 0));
  for (const isIn of regionsOf(within, nodes)) {
    for (const counts of countsOf(sorts.map(({ count }) => count), least)) {
      const inRole = (name: string) =>
        counts.reduce((sum, count, at) => sorts[at]!.role === name ? sum + count : sum, 0);
      if (roles.some((role) => inRole(role.name) < role.needed)) continue;
      for (const regions of regionsOfRoles(roles, nodes)) {
        yield counts.flatMap((count, at) => {
          const sort = sorts[at]!;
          const isInToo = regions.get(sort.role ?? "");
          return count === 0
            ? []
            : [{ sort, count, isIn: (node: string) => isIn(node) && (isInToo?.(node) ?? true) }];
        });
      }
    }
  }
}

function* regionsOf(
  within: Within | undefined,
  nodes: readonly string[],
): Iterable<(node: string) => boolean> {
  if (!within) return yield () => true;
  const { domainOf, only } = within;
  for (const domain of new Set(nodes.map(domainOf))) {
    if (domain === undefined || (only && !only.has(domain))) continue;
    yield (node) => domainOf(node) === domain;
  }
}

function* regionsOfRoles(
  roles: readonly RoleSeeking[],
  nodes: readonly string[],
): Iterable<ReadonlyMap<string, (node: string) => boolean>> {
  const [role, ...others] = roles;
  if (!role) return yield new Map();
  for (const isIn of regionsOf(role.within, nodes)) {
    for (const rest of regionsOfRoles(others, nodes)) yield new Map([...rest, [role.name, isIn]]);
  }
}

/** Every way to take so many of all. */
function* countsOf(most: readonly number[], total: number): Iterable<readonly number[]> {
  const [first, ...others] = most;
  if (first === undefined) {
    if (total === 0) yield [];
    return;
  }
  for (let count = Math.min(first, total); count >= 0; count--) {
    for (const rest of countsOf(others, total - count)) yield [count, ...rest];
  }
}

/** Whether all of them find room; the last ones take what there is. */
function canSpread([lot, ...others]: readonly Lot[], free: Free): boolean {
  if (!lot) return true;
  const { sort, count, isIn } = lot;
  const places = placesFor(sort, { free, isIn });
  if (places < count || others.length === 0) return places >= count;
  const nodes = [...free.keys()].filter((node) => isIn(node) && sort.mayRunOn(node));
  const spread = (index: number, left: number): boolean => {
    if (left === 0) return canSpread(others, free);
    const node = nodes[index];
    if (node === undefined) return false;
    for (let some = Math.min(left, timesIn(free.get(node)!, sort.requests)); some >= 0; some--) {
      takeFrom(free, { node, requests: sort.requests, count: some });
      const isFound = spread(index + 1, left - some);
      takeFrom(free, { node, requests: sort.requests, count: -some });
      if (isFound) return true;
    }
    return false;
  };
  return spread(0, count);
}
