/**
 * How many members of a gang group find room on the cluster's nodes at once.
 *
 * @module
 */
import type { Fit } from "./facts.ts";

/**
 * Amounts by resource name, in the units the scheduler counts in: milli-CPUs, bytes, and whole numbers of everything else.
 * Pod slots are the resource `pods`.
 */
export type Resources = ReadonlyMap<string, number>;

/** What is free on a node. */
export interface NodeRoom {
  readonly name: string;
  readonly free: Resources;
}

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

/** Room to place members into; the nodes are not changed by it. */
export function roomOf(nodes: Iterable<NodeRoom>): Room {
  return new Map([...nodes].map((node) => [node.name, new Map(node.free)]));
}

/** The first resource of which the whole room, with what the gang itself uses already, has less than is wanted (S3, S4). */
export function lacking(wanted: Resources, room: Room, own: Resources): string | undefined {
  for (const [resource, amount] of wanted) {
    let free = own.get(resource) ?? 0;
    for (const node of room.values()) free += Math.max(0, node.get(resource) ?? 0);
    if (free < amount) return resource;
  }
  return undefined;
}

/** Takes resources from (or, with `sign` -1, gives them back to) a node of the room. */
export function take(room: Room, node: string, use: { requests: Resources; sign?: 1 | -1 }): void {
  const free = room.get(node);
  if (!free) return;
  for (const [resource, amount] of use.requests) {
    free.set(resource, (free.get(resource) ?? 0) - (use.sign ?? 1) * amount);
  }
}

/**
 * Places candidates until `enough` have room, the largest first and each on the node it fills best. Their requests are
 * taken from the room, unless fewer than enough find any: a part of a gang needs no room.
 */
export function place(candidates: readonly Candidate[], room: Room, enough: number): Fit {
  const of = Math.min(enough, candidates.length);
  const taken: { node: string; requests: Resources }[] = [];
  let shortOf: string | undefined;
  const full = new Map<string, string>();
  for (const candidate of largestFirst(candidates, room)) {
    if (taken.length === of) break;
    const known = full.get(candidate.kind);
    const node = known === undefined ? bestNode(candidate, room) : undefined;
    if (node === undefined) {
      const short = known ?? shortResource(candidate, room);
      full.set(candidate.kind, short);
      shortOf ??= short;
      continue;
    }
    take(room, node, candidate);
    taken.push({ node, requests: candidate.requests });
  }
  const members = taken.length;
  if (members < of) {
    for (const { node, requests } of taken) take(room, node, { requests, sign: -1 });
  }
  return { members, of, ...(members < of && shortOf && { shortOf }) };
}

function largestFirst(candidates: readonly Candidate[], room: Room): Candidate[] {
  const largest = new Map<string, number>();
  for (const free of room.values()) {
    for (const [resource, amount] of free) {
      largest.set(resource, Math.max(largest.get(resource) ?? 0, amount));
    }
  }
  const share = (candidate: Candidate) =>
    Math.max(
      0,
      ...[...candidate.requests].map(([resource, amount]) => amount / (largest.get(resource) || 1)),
    );
  return candidates
    .map((candidate) => ({ candidate, share: share(candidate) }))
    .sort((a, b) => b.share - a.share)
    .map(({ candidate }) => candidate);
}

function bestNode(candidate: Candidate, room: Room): string | undefined {
  let best: string | undefined;
  let least = Infinity;
  for (const [node, free] of room) {
    if (!fits(candidate.requests, free) || !candidate.mayRunOn(node)) continue;
    const left = leftOver(candidate.requests, free);
    if (left < least) [best, least] = [node, left];
  }
  return best;
}

function fits(requests: Resources, free: Resources): boolean {
  for (const [resource, amount] of requests) {
    if (amount > 0 && amount > (free.get(resource) ?? 0)) return false;
  }
  return true;
}

/** The share of the node's free room that the candidate would leave, over the resources it asks for. */
function leftOver(requests: Resources, free: Resources): number {
  let sum = 0;
  for (const [resource, amount] of requests) {
    const have = free.get(resource) ?? 0;
    if (have > 0) sum += (have - amount) / have;
  }
  return sum;
}

/** The resource that keeps the candidate from every node it may run on, or what else does. */
function shortResource(candidate: Candidate, room: Room): string {
  const nodes = [...room].filter(([node]) => candidate.mayRunOn(node));
  if (nodes.length === 0) return "nodes that its members may run on";
  const lacking = [...candidate.requests].map(([resource, amount]) => ({
    resource,
    nodes: nodes.filter(([, free]) => amount > (free.get(resource) ?? 0)).length,
  }));
  return lacking.sort((a, b) => b.nodes - a.nodes)[0]?.resource ?? "pods";
}
