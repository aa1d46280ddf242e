/**
 * What a gang still needs room for.
 *
 * @module
 */
import { type GangFacts, gangId } from "../gang/facts.ts";
import { missing, type QuorumSettings } from "../gang/quorum.ts";
import {
  type Candidate,
  kindsOf,
  type Lack,
  lacking,
  type Resources,
  type Room,
} from "../room/fit.ts";

/** Room that a member takes. */
export interface Place {
  readonly node: string;
  readonly requests: Resources;
}

/** A gang as plans look at it: its members without a node, and those that have one or are held. */
export interface PlannedGang {
  readonly facts: GangFacts;
  readonly candidates: readonly Candidate[];
  readonly placed: readonly Place[];
  /** What all nodes must have together, what its own members take included; empty for most gangs (S3, S4). */
  readonly minResources: Resources;
  /** Of what priority no pods are evicted for the gang any more: every member must be one that evicts others. */
  readonly evictsBelow: number;
}

/** A gang, and how many members it still needs before it may bind. */
export interface Demand extends PlannedGang {
  readonly needed: number;
}

/** What a gang needs by the rules of its quorum. */
export function demandOf(gang: PlannedGang, settings: QuorumSettings): Demand {
  return { ...gang, needed: missing(gang.facts, settings) };
}

/** The resource of which the gang's minResources are not there; what its own members take counts for it. */
export function shortOfMinResources(demand: Demand, room: Room): Lack | undefined {
  return demand.needed === 0 ? undefined : lacking(demand.minResources, room, ownOf(demand));
}

/** What the gang's members that have a node, or are held, take. */
export function ownOf({ placed }: Demand): Resources {
  const own = new Map<string, number>();
  for (const { requests } of placed) addTo(own, requests, 1);
  return own;
}

/** All that decides which room a demand finds: demands of one shape find the same. */
export function shapeOf({ facts, candidates, needed, evictsBelow, minResources }: Demand): string {
  const kinds = kindsOf(candidates).map((alike) => [alike[0]!.kind, alike.length]);
  const own = minResources.size > 0 ? [gangId(facts.gang), ...minResources] : "";
  return JSON.stringify([needed, kinds, String(evictsBelow), own]);
}

/** Adds amounts so many times. */
export function addTo(sum: Map<string, number>, amounts: Resources, times: number): void {
  for (const [resource, amount] of amounts) {
    sum.set(resource, (sum.get(resource) ?? 0) + times * amount);
  }
}
