/**
 * What a gang still needs room for.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import { type GangFacts, gangId } from "../gang/facts.ts";
import { isOnceSatisfied, isOnlyWaiting, missing, type QuorumSettings } from "../gang/quorum.ts";
import { type Candidate, kindsOf, type Lack, lacking, type Resources } from "../room/fit.ts";

/** Room that a member takes. */
export interface Place {
  readonly node: string;
  readonly requests: Resources;
}

/** A member of a gang that has a node or is held for one. */
export interface PlacedMember extends Place, Pick<Candidate, "role" | "exclusive"> {}

/** Room that a pod of some priority takes, or is going to take. */
export interface Claim extends Place {
  readonly priority: number;
}

/** A gang as plans look at it: its members without a node, and those that have one or are held. */
export interface PlannedGang {
  readonly facts: GangFacts;
  readonly candidates: readonly Candidate[];
  readonly placed: readonly PlacedMember[];
  /** What all nodes must have together, what its own members take included; empty for most gangs (S3, S4). */
  readonly minResources: Resources;
  /** Of what priority no pods are evicted for the gang any more: every member must be one that evicts others. */
  readonly evictsBelow: number;
}

/** A gang, and how many members it still needs before it may bind. */
export interface Demand extends PlannedGang {
  readonly needed: number;
  /** Set where it runs, and a role does not have to be whole any more of which members run, or of which there are none. */
  readonly isStarted?: boolean | undefined;
  /** Set where members that are bound do not count. */
  readonly isOnlyWaiting?: boolean | undefined;
}

/** A gang that has not changed since the last plan is the same object. */
const demands = new Carried<PlannedGang, { demand: Demand; settings: QuorumSettings }>();
const shapes = new Carried<Demand, string>();

/** What a gang needs by the rules of its quorum. */
export function demandOf(gang: PlannedGang, settings: QuorumSettings): Demand {
  const last = demands.of(gang);
  if (last?.settings === settings) return last.demand;
  const { facts } = gang;
  const demand = {
    ...gang,
    needed: missing(facts, settings),
    isStarted: isOnceSatisfied(facts, settings),
    isOnlyWaiting: isOnlyWaiting(facts, settings),
  };
  return demands.put(gang, { demand, settings }).demand;
}

/** Whose gangs they are, or the first of them. */
export function namespaceOf(demands: readonly Pick<Demand, "facts">[]): string {
  return demands[0]?.facts.gang.namespace ?? "";
}

/** Whether it can not become whole, whatever room there is. */
export function isIncomplete({ facts, candidates, needed }: Demand): boolean {
  return facts.problem !== undefined || candidates.length < needed;
}

/** The resource of which the gang's minResources are not there; what its own members take counts for it. */
export function shortOfMinResources(
  demand: Demand,
  rooms: readonly (Resources | undefined)[],
): Lack | undefined {
  if (demand.needed === 0) return undefined;
  return lacking(demand.minResources, { rooms, own: ownOf(demand) });
}

/** What the gang's members that have a node, or are held, take. */
export function ownOf({ placed }: Demand): Resources {
  const own = new Map<string, number>();
  for (const { requests } of placed) addTo(own, requests, 1);
  return own;
}

/** All that decides which room a demand finds: demands of one shape find the same. */
export function shapeOf(demand: Demand): string {
  return shapes.of(demand) ?? shapes.put(demand, newShapeOf(demand));
}

function newShapeOf({ facts, candidates, placed, needed, ...demand }: Demand): string {
  const kinds = kindsOf(candidates).map((alike) => [alike[0]!.kind, alike.length, alike[0]!.role]);
  const { topology, roles } = facts.gang;
  const siblings = placed.map(({ node, role, exclusive }) => [node, role, exclusive]);
  const apart = candidates.some(({ exclusive }) => exclusive);
  const own = demand.minResources.size > 0 ? [gangId(facts.gang), ...demand.minResources] : "";
  return JSON.stringify([
    needed,
    kinds,
    String(demand.evictsBelow),
    own,
    topology || roles || apart ? [topology, roles, siblings, facts.roles] : "",
  ]);
}

/** Adds amounts so many times. */
export function addTo(sum: Map<string, number>, amounts: Resources, times: number): void {
  for (const [resource, amount] of amounts) {
    sum.set(resource, (sum.get(resource) ?? 0) + times * amount);
  }
}
