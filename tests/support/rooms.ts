/**
 * Builders of rooms and of members that look for one.
 *
 * @module
 */
import type { Demand } from "../../shared/core/plan/demand.ts";
import { type Alike, partOf } from "../../shared/core/plan/part.ts";
import { placeTogether } from "../../shared/core/plan/placing.ts";
import { Regions } from "../../shared/core/plan/regions.ts";
import { shortageOf } from "../../shared/core/plan/shortage.ts";
import { type Fit, noMembers } from "../../shared/core/gang/facts.ts";
import {
  type Candidate,
  copyOf,
  type OwnRoom,
  type Resources,
  take,
  type Use,
} from "../../shared/core/room/fit.ts";
import { type Ground, groundOf } from "../../shared/core/room/ground.ts";

/** Amounts by resource name. */
export type Amounts = Record<string, number>;

/** Amounts as the fit takes them. */
export function resources(amounts: Amounts): Resources {
  return new Map(Object.entries(amounts));
}

/** What is free, by node. */
export function nodes(free: Record<string, Amounts>): OwnRoom {
  return roomOf(
    Object.entries(free).map(([name, amounts]) => ({ name, free: resources(amounts) })),
  );
}

/** Room to place members into; the nodes are not changed by it. */
export function roomOf(
  nodes: readonly { readonly name: string; readonly free: Resources }[],
): OwnRoom {
  return new Map(nodes.map(({ name, free }) => [name, new Map(free)]));
}

/** Members of a kind that may run on the nodes whose names match. */
export function members(count: number, requests: Amounts, on = /./): Candidate[] {
  const kind = JSON.stringify([requests, on.source]);
  return Array.from({ length: count }, () => ({
    requests: resources(requests),
    kind,
    mayRunOn: (node: string) => on.test(node),
  }));
}

/** Where candidates find room of whom so many are enough, which is taken; or what they lack. */
export function place(
  candidates: readonly Candidate[],
  { room, enough }: { room: OwnRoom; enough: number },
): { fit: Fit; uses: readonly Use[] } {
  const ground = groundOf({ free: copyOf(room), labelsOf: () => ({}) });
  const regions = new Regions(ground, []);
  const part = partOf([demandFor(candidates, enough)], { ground });
  const found = placeTogether(part, { regions });
  if (!found) return { fit: shortageOf(part, { regions }), uses: [] };
  for (const use of found.uses) take(room, use.node, use);
  const of = Math.min(enough, candidates.length);
  return { fit: { members: of, of }, uses: found.uses };
}

/** A gang of which so many members are needed. */
function demandFor(candidates: readonly Candidate[], needed: number): Demand {
  const pending = candidates.length;
  const gang = { namespace: "default", name: "gang", minMember: needed, createdAt: "" };
  return {
    facts: { gang, census: { ...noMembers, pending }, held: [] },
    candidates,
    placed: [],
    minResources: new Map(),
    evictsBelow: -Infinity,
    needed,
  };
}

/** What is free by node, as plans are made on it. */
export function groundIn(free: Record<string, Amounts>): Ground {
  return groundOf({ free: nodes(free), labelsOf: () => ({}) });
}

/** Candidates by kind, the largest first. */
export function alikeOf(candidates: readonly Candidate[], ground: Ground): readonly Alike[] {
  return partOf([demandFor(candidates, candidates.length)], { ground }).all;
}
