/**
 * What a gang group needs, read once more from what plans are made of.
 *
 * @module
 */
import type { GangFacts } from "../../../shared/core/gang/facts.ts";
import type { Composite, Topology } from "../../../shared/core/gang/topology.ts";
import type { PlannedGang } from "../../../shared/core/plan/demand.ts";
import type { Waiting, World } from "../../../shared/core/plan/world.ts";
import type { Use } from "../../../shared/core/room/fit.ts";
import {
  canPlace,
  type Free,
  type RoleSeeking,
  type Seeking,
  type Sort,
  type Within,
} from "./exact_room.ts";
import { choicesOf, type TreePart } from "./trees.ts";

/** A gang, and the members of it that have no node. */
export interface WantedGang extends Seeking {
  readonly id: string;
  readonly planned: PlannedGang;
  readonly sorts: readonly NamedSort[];
}

/** Members that are alike, as plans name them. */
export interface NamedSort extends Sort {
  readonly kind: string;
}

/** A group. */
export interface Wanted {
  /** Those that there are. */
  readonly gangs: readonly WantedGang[];
  /** Which of its gangs are needed. */
  readonly tree: Composite;
}

/** What a group needs; undefined where it asks for something that this model does not know. */
export function wantedOf(group: Waiting, world: World): Wanted | undefined {
  const gangs = group.gangs();
  const { composite, refused } = group;
  if ((composite && hasTopology(composite)) || gangs.some(isBeyondModel)) return undefined;
  if (refused?.values().some(({ each }) => each !== undefined)) return undefined;
  return {
    gangs: gangs.map((gang) => wantedGang(gang, { group, world })),
    tree: composite ?? { name: "all", children: group.id.split(",") },
  };
}

function hasTopology({ topology, children }: Composite): boolean {
  return topology !== undefined ||
    children.some((child) => typeof child !== "string" && hasTopology(child));
}

function isBeyondModel({ facts: { gang }, candidates, minResources }: PlannedGang): boolean {
  const topologies = [gang.topology, ...(gang.roles ?? []).map(({ topology }) => topology)];
  return minResources.size > 0 || topologies.some((topology) => topology?.slice) ||
    gang.roles?.some(({ name }) => name.includes("/")) === true ||
    candidates.some(({ exclusive }) => exclusive?.length);
}

function wantedGang(
  planned: PlannedGang,
  { group, world }: { group: Waiting; world: World },
): WantedGang {
  const { facts, candidates, placed } = planned;
  const { namespace, name, topology, roles = [] } = facts.gang;
  const byKind = Map.groupBy(candidates, ({ kind, role }) => `${role ?? ""} ${kind}`);
  const sorts = [...byKind.values()].map((alike): NamedSort => {
    const { kind, role, requests, mayRunOn } = alike[0]!;
    const refused = group.refused?.get(kind);
    return {
      kind,
      role,
      requests,
      count: alike.length,
      mayRunOn: (node) => mayRunOn(node) && refused?.more.get(node) !== 0,
    };
  });
  const within = (topology: Topology | undefined, siblings: readonly { node: string }[]) =>
    withinOf(topology, { siblings: siblings.map(({ node }) => node), world });
  return {
    id: `${namespace}/${name}`,
    planned,
    sorts,
    needed: stillMissing(facts, world),
    within: within(topology, placed),
    roles: roles.map(({ name, topology }): RoleSeeking => ({
      name,
      needed: missingInRole(facts, name, world),
      within: within(topology, placed.filter(({ role }) => role === name)),
    })),
  };
}

/** Members that are needed before it may bind (S3, S4). */
export function stillMissing(facts: GangFacts, world: Pick<World, "settings">): number {
  const { gang, census, held } = facts;
  const inRoles = (gang.roles ?? [])
    .reduce((sum, { name }) => sum + missingInRole(facts, name, world), 0);
  if (isOnceSatisfied(facts, world)) return inRoles;
  const bound = policyOf(facts, world) === "only-waiting" ? 0 : census.bound;
  const alive = held.length + census.bound + census.pending;
  const succeeded = alive < gang.minMember ? census.succeeded : 0;
  return Math.max(0, inRoles, gang.minMember - held.length - bound - succeeded);
}

/** Members that wait and that its gangs, which run, lack for their minimum, though nobody waits for them. */
export function lostOf({ gangs }: Wanted): number {
  return gangs.filter(({ needed, planned }) => needed === 0 && planned.facts.census.bound > 0)
    .reduce((sum, { planned: { facts, candidates } }) => {
      const all = { matchPolicy: "waiting-and-running" } as const;
      const counted = { ...facts, gang: { ...facts.gang, ...all } };
      return sum + Math.min(stillMissing(counted, { settings: all }), candidates.length);
    }, 0);
}

function missingInRole(facts: GangFacts, name: string, world: Pick<World, "settings">): number {
  const { min } = facts.gang.roles!.find((role) => role.name === name)!;
  const role = facts.roles?.find((role) => role.name === name);
  if (!role) return min;
  const alive = role.held + role.bound + role.pending;
  if (isOnceSatisfied(facts, world) && (role.bound > 0 || alive === 0)) return 0;
  const bound = policyOf(facts, world) === "only-waiting" ? 0 : role.bound;
  return Math.max(0, min - role.held - bound - (alive < min ? role.succeeded : 0));
}

function policyOf({ gang }: GangFacts, { settings }: Pick<World, "settings">): string {
  return gang.matchPolicy ?? settings.matchPolicy;
}

function isOnceSatisfied(facts: GangFacts, world: Pick<World, "settings">): boolean {
  return policyOf(facts, world) === "once-satisfied" && facts.census.bound > 0;
}

/** Where siblings have a node, only their domains will do; whose node has gone is in none. */
function withinOf(
  topology: Topology | undefined,
  { siblings, world }: { siblings: readonly string[]; world: World },
): Within | undefined {
  if (topology?.required === undefined) return undefined;
  const path = pathOf(topology.required, { topology, world });
  const domainOf = (node: string) => {
    const labels = world.labelsOf(node);
    return labels[topology.required!] === undefined
      ? undefined
      : path.map((key) => labels[key] ?? "").join("/");
  };
  const theirs = siblings.flatMap((node) => world.free.has(node) ? domainOf(node) ?? [] : []);
  const isLost = siblings.some((node) => !world.free.has(node));
  return { domainOf, ...((theirs.length > 0 || isLost) && { only: new Set(theirs) }) };
}

function pathOf(
  key: string,
  { topology: { preferred = [] }, world: { levels } }: { topology: Topology; world: World },
): readonly string[] {
  if (levels.includes(key)) return levels.slice(0, levels.indexOf(key) + 1);
  return preferred.includes(key) ? preferred.slice(preferred.indexOf(key)).toReversed() : [key];
}

/** Whether all that a group needs is there, and nothing else is wrong. */
export function isComplete(wanted: Wanted): boolean {
  return possible(wanted.tree, wanted).length > 0;
}

/** The choices of gangs of which all that they need is there, by which a part of a group would start. */
function possible(part: TreePart, { gangs }: Wanted): readonly (readonly WantedGang[])[] {
  const known = new Map(gangs.filter(hasEnough).map((gang) => [gang.id, gang]));
  return choicesOf(part).filter((ids) => ids.every((id) => known.has(id)))
    .map((ids) => ids.map((id) => known.get(id)!));
}

/** Whether a part of a group, or all of it, finds room for what it needs. */
export function canStart(
  wanted: Wanted,
  { free, part = wanted.tree }: { free: Free; part?: TreePart },
): boolean {
  return possible(part, wanted).some((gangs) => canPlace(gangs, free));
}

/** Whether a gang is whole when its members go there; one that can not be used is not. */
export function isWholeBy(uses: readonly Use[], { gangs }: Wanted): (id: string) => boolean {
  return (id) => {
    const gang = gangs.find((gang) => gang.id === id);
    if (!gang || gang.planned.facts.problem) return false;
    const own = uses.filter((use) => gangOf(use, gangs) === gang);
    return sumOf(own) >= gang.needed &&
      gang.roles!.every(({ name, needed }) =>
        sumOf(own.filter(({ role }) => role === name)) >= needed
      );
  };
}

/** So many members. */
export function sumOf(uses: readonly { readonly count: number }[]): number {
  return uses.reduce((sum, { count }) => sum + count, 0);
}

function hasEnough({ sorts, needed, roles = [], planned: { facts } }: WantedGang): boolean {
  const inRole = (name: string) =>
    sorts.reduce((sum, { role, count }) => role === name ? sum + count : sum, 0);
  const all = sorts.reduce((sum, { count }) => sum + count, 0);
  return facts.problem === undefined && all >= needed &&
    roles.every((role) => inRole(role.name) >= role.needed);
}

/** Of a group of several gangs each use names its own. */
export function sortOf(use: Use, gangs: readonly WantedGang[]): NamedSort | undefined {
  return gangOf(use, gangs)?.sorts.find(({ kind, role }) => kind === use.kind && role === use.role);
}

/** The gang of a use. */
export function gangOf({ gang }: Use, gangs: readonly WantedGang[]): WantedGang | undefined {
  return gang === undefined ? gangs[0] : gangs.find(({ id }) => id === gang);
}
