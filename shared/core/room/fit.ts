/**
 * How many members of a gang group find room on the cluster's nodes at once.
 *
 * @module
 */
import type { Fit } from "../gang/facts.ts";

/**
 * Amounts by resource name, in the units the scheduler counts in: milli-CPUs, bytes, and whole numbers of everything else.
 * Pod slots are the resource `pods`. Infinity: the resource is there, and not counted.
 */
export type Resources = ReadonlyMap<string, number>;

/** A member that needs a node. */
export interface Candidate {
  readonly requests: Resources;
  /** Candidates of the same kind ask for the same resources on the same nodes. */
  readonly kind: string;
  /** Whether the member may run on the node at all: selectors, affinity, taints. */
  readonly mayRunOn: (node: string) => boolean;
}

/** Free room per node that placements are taken from. */
export type Room = Map<string, Map<string, number>>;

/** The same room, to take from. */
export function copyOf(room: Room): Room {
  return new Map([...room].map(([node, free]) => [node, new Map(free)]));
}

/** A resource of which there is less than is asked for. */
export interface Lack {
  readonly resource: string;
  readonly asks: number;
  readonly free: number;
}

/** The first resource of which the whole room, with what the gang itself uses already, has less than is wanted (S3, S4). */
export function lacking(wanted: Resources, room: Room, own: Resources): Lack | undefined {
  for (const [resource, asks] of wanted) {
    let free = own.get(resource) ?? 0;
    for (const node of room.values()) free += Math.max(0, node.get(resource) ?? 0);
    if (free < asks) return { resource, asks, free };
  }
  return undefined;
}

/** Takes resources from (or, with `sign` -1, gives them back to) a node of the room. */
export function take(
  room: Room,
  node: string,
  use: { requests: Resources; sign?: 1 | -1; count?: number },
): void {
  const free = room.get(node);
  if (!free) return;
  const times = (use.sign ?? 1) * (use.count ?? 1);
  for (const [resource, amount] of use.requests) {
    free.set(resource, (free.get(resource) ?? 0) - times * amount);
  }
}

/** So many requests of one kind, and the node whose room they take. */
export interface Use {
  readonly node: string;
  readonly kind: string;
  readonly requests: Resources;
  readonly count: number;
}

/** How many candidates found room, and what they took of it. */
export interface Placement {
  readonly fit: Fit;
  readonly taken: readonly Use[];
}

/**
 * Places candidates until `enough` have room: the largest kind first, or, where that is not enough, the smallest first;
 * each on the nodes it fills best. Their requests are taken from the room, unless fewer than enough find any: a part of a
 * gang needs no room.
 */
export function place(candidates: readonly Candidate[], room: Room, enough: number): Placement {
  const of = Math.min(enough, candidates.length);
  const kinds = largestFirst(kindsOf(candidates), room);
  const placement = placeInOrder(kinds, room, of);
  const { fit } = placement;
  if (fit.members === of || kinds.length < 2 || candidates.length === of) return placement;
  const smallestFirst = placeInOrder(kinds.toReversed(), room, of);
  return smallestFirst.fit.members > fit.members ? smallestFirst : placement;
}

function placeInOrder(kinds: readonly Candidate[][], room: Room, of: number): Placement {
  const taken: Use[] = [];
  let members = 0;
  let shortOf: string | undefined;
  for (const kind of kinds) {
    const wanted = Math.min(kind.length, of - members);
    if (wanted === 0) break;
    const placed = placeAlike(kind[0]!, wanted, { room, taken });
    members += placed;
    if (placed < wanted) shortOf ??= shortResource(kind[0]!, room);
  }
  if (members === of) return { fit: { members, of }, taken };
  giveBack(room, taken);
  return { fit: { members, of, ...(shortOf && { shortOf }) }, taken: [] };
}

/** Undoes placements. */
export function giveBack(room: Room, taken: readonly Use[]): void {
  for (const use of taken) takeAll(room, use, -1);
}

/** Takes (or, with `sign` -1, gives back) all that a use says. */
export function takeAll(room: Room, { node, requests, count }: Use, sign: 1 | -1 = 1): void {
  take(room, node, { requests, sign, count });
}

/** Places so many candidates that are alike, each on the nodes it fills best, and gives how many found room. */
export function placeAlike(
  candidate: Candidate,
  wanted: number,
  { room, taken }: { room: Room; taken: Use[] },
): number {
  const { requests, kind } = candidate;
  const nodes: { node: string; fits: number; left: number }[] = [];
  for (const [node, free] of room) {
    const fits = fitting(requests, free);
    if (fits === 0 || !candidate.mayRunOn(node)) continue;
    nodes.push({ node, fits, left: leftOver(requests, free) });
  }
  nodes.sort((a, b) => a.left - b.left);
  let placed = 0;
  for (const { node, fits } of nodes) {
    if (placed === wanted) break;
    const count = Math.min(fits, wanted - placed);
    const use = { node, kind, requests, count };
    takeAll(room, use);
    taken.push(use);
    placed += count;
  }
  return placed;
}

/** Candidates by kind. */
export function kindsOf(candidates: readonly Candidate[]): Candidate[][] {
  const kinds = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const kind = kinds.get(candidate.kind);
    if (kind) kind.push(candidate);
    else kinds.set(candidate.kind, [candidate]);
  }
  return [...kinds.values()];
}

/** The kinds by the largest share that a member of theirs takes of what the roomiest node has of a resource. */
export function largestFirst(kinds: readonly Candidate[][], room: Room): Candidate[][] {
  return byLargestMember(kinds, { room, membersOf: ([candidate]) => [candidate!] });
}

/** Those first of which a member takes the largest share of what the roomiest node has of a resource. */
export function byLargestMember<T>(
  items: readonly T[],
  { room, membersOf }: { room: Room; membersOf: (item: T) => readonly Candidate[] },
): T[] {
  if (items.length < 2) return [...items];
  const largest = new Map<string, number>();
  for (const free of room.values()) {
    for (const [resource, amount] of free) {
      largest.set(resource, Math.max(largest.get(resource) ?? 0, amount));
    }
  }
  const share = (item: T) =>
    Math.max(
      0,
      ...membersOf(item).flatMap(({ requests }) =>
        [...requests].map(([resource, amount]) => amount / (largest.get(resource) || 1))
      ),
    );
  return items.map((item) => ({ item, share: share(item) }))
    .sort((a, b) => b.share - a.share).map(({ item }) => item);
}

/** How many such requests the free room takes. */
export function fitting(requests: Resources, free: Resources): number {
  let fits = Infinity;
  for (const [resource, amount] of requests) {
    if (amount <= 0) continue;
    fits = Math.min(fits, Math.floor((free.get(resource) ?? 0) / amount));
    if (fits <= 0) return 0;
  }
  return fits;
}

/** The share of the node's free room that the candidate would leave, over the resources it asks for. */
function leftOver(requests: Resources, free: Resources): number {
  let sum = 0;
  for (const [resource, amount] of requests) {
    const have = free.get(resource) ?? 0;
    if (have > 0 && have < Infinity) sum += (have - amount) / have;
  }
  return sum;
}

/** In place of a resource of which there is too little: no node may take the member at all. */
export const noNodes = "nodes that its members may run on";

/** The resource that keeps the candidate from most nodes it may run on, or what else does. */
function shortResource(candidate: Candidate, room: Room): string {
  const nodes = [...room].filter(([node]) => candidate.mayRunOn(node));
  if (nodes.length === 0) return noNodes;
  const lacking = [...candidate.requests].map(([resource, amount]) => ({
    resource,
    nodes: nodes.filter(([, free]) => amount > 0 && amount > (free.get(resource) ?? 0)).length,
  }));
  return lacking.sort((a, b) => b.nodes - a.nodes)[0]?.resource ?? "pods";
}
