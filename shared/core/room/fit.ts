/**
 * What members ask for, what nodes have, and how often the one fits in the other.
 *
 * @module
 */

/**
 * Amounts by resource name, in the units the scheduler counts in: milli-CPUs, bytes, and whole numbers of everything else.
 * Pod slots are the resource `pods`. Infinity: the resource is there, and not counted.
 */
export type Resources = ReadonlyMap<string, number>;

/** Whether it is as much of the same. */
export function isSame(a: Resources, b: Resources): boolean {
  return a === b ||
    a.size === b.size && [...a].every(([resource, amount]) => b.get(resource) === amount);
}

/** A member that needs a node. */
export interface Candidate {
  /** Of its pod; absent where it has none yet. */
  readonly uid?: string | undefined;
  readonly requests: Resources;
  /** Candidates of the same kind ask for the same resources on the same nodes. */
  readonly kind: string;
  /** Whether the member may run on the node at all: selectors, affinity, taints. */
  readonly mayRunOn: (node: string) => boolean;
  /** Of its gang; kinds differ where roles do. */
  readonly role?: string | undefined;
  /** What its node must be without: `another member of gang default/a`. No node takes two members that name the same. */
  readonly exclusive?: readonly string[] | undefined;
  /** Its pod says where it would rather run. */
  readonly hasPreference?: true | undefined;
  /** So many rules say where it may run; absent: few. */
  readonly rules?: number | undefined;
}

/** What is free on each node. */
export type Room = ReadonlyMap<string, Resources>;

/** A room to take from. */
export type OwnRoom = Map<string, Resources>;

/** The same room, to take from. */
export function copyOf(room: Room): OwnRoom {
  return new Map(room);
}

/** A resource of which there is less than is asked for. */
export interface Lack {
  readonly resource: string;
  readonly asks: number;
  readonly free: number;
}

/** The first resource of which all rooms, with what the gang itself uses already, have less than is wanted (S3, S4). */
export function lacking(
  wanted: Resources,
  { rooms, own }: { rooms: readonly (Resources | undefined)[]; own?: Resources },
): Lack | undefined {
  for (const [resource, asks] of wanted) {
    let free = own?.get(resource) ?? 0;
    for (const room of rooms) {
      if (free >= asks) break;
      free += Math.max(0, room?.get(resource) ?? 0);
    }
    if (free < asks) return { resource, asks, free };
  }
  return undefined;
}

/** Takes resources from (or, with `sign` -1, gives them back to) a node of the room, which gets another object for what is left. */
export function take(
  room: OwnRoom,
  node: string,
  use: { requests: Resources; sign?: 1 | -1; count?: number },
): void {
  const free = room.get(node);
  if (free) room.set(node, without(free, use.requests, (use.sign ?? 1) * (use.count ?? 1)));
}

/** What is left of free resources beside so many such requests; with a count below 0, what is there when so many have left. */
export function without(free: Resources, requests: Resources, count: number): Resources {
  const rest = new Map(free);
  for (const [resource, amount] of requests) {
    rest.set(resource, amountOf(free, resource) - count * amount);
  }
  return rest;
}

/** So many requests of one kind, and the node whose room they take. */
export interface Use {
  readonly node: string;
  readonly kind: string;
  readonly requests: Resources;
  readonly count: number;
  /** Of its gang. */
  readonly role?: string | undefined;
  /** `namespace/name`; absent in a group of one. */
  readonly gang?: string | undefined;
}

/** The same places, each once. */
export function joined(uses: readonly Use[]): Use[] {
  const all: Use[] = [];
  // Of each node, where its places are among all: most have one, and a text of each would have to be hashed.
  const byNode = new Map<string, number[]>();
  for (const use of uses) {
    const there = byNode.get(use.node);
    const index = there?.find((index) => isAlike(all[index]!, use));
    if (index !== undefined) all[index] = { ...use, count: all[index]!.count + use.count };
    else if (there) there.push(all.push(use) - 1);
    else byNode.set(use.node, [all.push(use) - 1]);
  }
  return all;
}

/** Whose members they are. */
export type Whose = Pick<Use, "kind" | "role" | "gang">;

/** Whether two are of one kind, role and gang. */
export function isAlike(a: Whose, b: Whose): boolean {
  return a.kind === b.kind && a.role === b.role && a.gang === b.gang;
}

/** A place by its node, and whose it is. */
export function placeId({ node, kind, role, gang }: Whose & { node: string }): string {
  // No name has a space in it, and a kind is the last.
  return `${node} ${role ?? ""} ${gang ?? ""} ${kind}`;
}

/** Candidates by role and kind. */
export function kindsOf(candidates: readonly Candidate[]): Candidate[][] {
  const kinds = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { kind, role } = candidate;
    const id = role === undefined ? kind : JSON.stringify([role, kind]);
    const alike = kinds.get(id);
    if (alike) alike.push(candidate);
    else kinds.set(id, [candidate]);
  }
  return [...kinds.values()];
}

/** What a node that has this free has of a resource. */
export function amountOf(free: Resources, resource: string): number {
  return free.get(resource) ?? (isExclusive(resource) ? 1 : 0);
}

/** Whether it stands for what a node must be without. */
export function isExclusive(resource: string): boolean {
  return resource.startsWith(exclusively);
}

/** What so many members ask of a resource, those that ask for the least of it. */
export function leastOf(
  resource: string,
  wanted: number,
  kinds: readonly { readonly requests: Resources; readonly count: number }[],
): number {
  const asked = kinds.map(({ requests, count }) => ({ each: requests.get(resource) ?? 0, count }));
  let [left, sum] = [wanted, 0];
  for (const { each, count } of asked.sort((a, b) => a.each - b.each)) {
    sum += each * Math.min(left, count);
    left -= Math.min(left, count);
  }
  return sum;
}

/** What a candidate takes of a node, also what is there once. */
export function requestsOf(
  { requests, exclusive = [] }: Pick<Candidate, "requests" | "exclusive">,
): Resources {
  if (exclusive.length === 0) return requests;
  return new Map([...requests, ...exclusive.map((what) => [exclusively + what, 1] as const)]);
}

/** Begins the names of resources of which each node has one unless it is taken. */
const exclusively = "without ";

/** How many such requests the free room takes. */
export function fitting(requests: Resources, free: Resources): number {
  let fits = Infinity;
  for (const [resource, amount] of requests) {
    if (amount <= 0) continue;
    fits = Math.min(fits, Math.floor(amountOf(free, resource) / amount));
    if (fits <= 0) return 0;
  }
  return fits;
}

/**
 * How much of a node's free room a candidate would waste: the share that it leaves of what it asks for, summed over the
 * resources. One that asks for no device had better be where none is free, which others may come for.
 */
export function wasteOf(requests: Resources): (free: Resources) => number {
  const asksForDevice = devicesIn(requests) > 0;
  return (free) => {
    let sum = 0;
    for (const [resource, amount] of requests) {
      const have = free.get(resource) ?? 0;
      if (have > 0 && have < Infinity) sum += (have - amount) / have;
    }
    return asksForDevice ? sum : sum + devicesIn(free) * moreThanShares;
  };
}

/** More than the shares of all resources that a candidate may ask for. */
const moreThanShares = 1000;

/** Devices have the domain of who makes them in their names (Kubernetes' extended resources). */
function isDevice(resource: string): boolean {
  return resource.includes("/") && !isExclusive(resource);
}

/** Of how many devices there are some. */
export function devicesIn(amounts: Resources): number {
  let devices = 0;
  for (const [resource, amount] of amounts) if (amount > 0 && isDevice(resource)) devices++;
  return devices;
}

/** In place of a resource of which there is too little: no node may take the member at all. */
export const noNodes = "nodes that its members may run on";

/** Likewise: where there is room for the member, the scheduler's own plugins refuse it. */
export const noTakingNodes = "nodes that the scheduler takes its members on";

/** Likewise: every node that has room has a member already with which this one does not share a node. */
export const noUntakenNodes = "nodes that have no such member yet";
