/**
 * Whether members could ever find room on the nodes that there are.
 *
 * @module
 */
import type { Impossible } from "../gang/facts.ts";
import {
  type Candidate,
  fitting,
  kindsOf,
  lacking,
  leastOf,
  requestsOf,
  type Resources,
  type Room,
} from "./fit.ts";

/** What a gang still needs. */
export interface Need {
  readonly candidates: readonly Candidate[];
  readonly needed: number;
  /** What all nodes must have together; empty for most gangs. */
  readonly minResources: Resources;
  /** What its members that have a node take of that. */
  readonly own: Resources;
}

/** Members that are alike, and what the nodes that they may run on have for them. */
interface Prospect {
  readonly requests: Resources;
  readonly count: number;
  readonly nodes: readonly string[];
  /** So many find room if no others take any. */
  readonly places: number;
}

/**
 * Why nodes without other pods could not take what all gangs of a group need together; undefined where they could, or where
 * only trying would tell. `capacity` is what would be free if all pods had left that ever do.
 */
export function impossible(needs: readonly Need[], capacity: Room): Impossible | undefined {
  const prospects = needs.map(({ candidates }) =>
    kindsOf(candidates).map((alike) => prospectOf(alike, capacity))
  );
  for (const [index, need] of needs.entries()) {
    const found = withoutMinResources(need, capacity) ??
      withoutPlaces(need, { prospects: prospects[index]!, capacity });
    if (found) return found;
  }
  return withoutResource(needs.map((need, index) => [need, prospects[index]!]), capacity);
}

function prospectOf(alike: readonly Candidate[], capacity: Room): Prospect {
  const { requests, mayRunOn } = alike[0]!;
  const all = requestsOf(alike[0]!);
  const nodes: string[] = [];
  let places = 0;
  for (const [node, room] of capacity) {
    if (!mayRunOn(node)) continue;
    nodes.push(node);
    places += fitting(all, room);
  }
  return { requests, count: alike.length, nodes, places };
}

function withoutMinResources(
  { needed, minResources, own }: Need,
  capacity: Room,
): Impossible | undefined {
  const rooms = [...capacity.values()];
  const lack = needed > 0 ? lacking(minResources, { rooms, own }) : undefined;
  return lack &&
    { scope: "minResources", resource: lack.resource, asks: lack.asks, largest: lack.free };
}

/** Fewer members than are needed find room, even if no kind takes any from another. */
function withoutPlaces(
  need: Need,
  { prospects, capacity }: { prospects: readonly Prospect[]; capacity: Room },
): Impossible | undefined {
  const asks = wantedOf(need);
  const largest = prospects.reduce((sum, { count, places }) => sum + Math.min(count, places), 0);
  if (largest >= asks) return undefined;
  const nowhere = prospects.find(({ nodes, places }) => places === 0 && nodes.length > 0);
  return (nowhere && tooLargeMember(nowhere, capacity)) ??
    withoutResource([[need, prospects]], capacity) ??
    { scope: "gang", asks, largest };
}

/** The resource of which no node has enough for a member; undefined where each is enough on some node. */
function tooLargeMember(
  { requests, nodes }: Prospect,
  capacity: Room,
): Impossible | undefined {
  const [worst] = [...requests].map(([resource, asks]) => {
    const largest = Math.max(0, ...nodes.map((node) => capacity.get(node)!.get(resource) ?? 0));
    return { scope: "member" as const, resource, asks, largest };
  }).filter(({ asks, largest }) => asks > largest)
    .sort((a, b) => b.asks / b.largest - a.asks / a.largest);
  return worst;
}

/** The resource of which all nodes together have too little, whichever members it is that start. */
function withoutResource(
  needs: readonly (readonly [Need, readonly Prospect[]])[],
  capacity: Room,
): Impossible | undefined {
  const nodes = new Set(needs.flatMap(([, prospects]) => prospects.flatMap(({ nodes }) => nodes)));
  const resources = new Set(
    needs.flatMap(([, prospects]) => prospects.flatMap(({ requests }) => [...requests.keys()])),
  );
  for (const resource of resources) {
    let asks = 0;
    for (const [need, prospects] of needs) asks += leastOf(resource, wantedOf(need), prospects);
    let largest = 0;
    for (const node of nodes) largest += Math.max(0, capacity.get(node)!.get(resource) ?? 0);
    if (asks > largest) return { scope: "gang", resource, asks, largest };
  }
  return undefined;
}

/** Those that do not exist yet are not looked at. */
function wantedOf({ candidates, needed }: Need): number {
  return Math.min(needed, candidates.length);
}
