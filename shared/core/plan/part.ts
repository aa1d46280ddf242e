/**
 * A gang group as a tree of the parts that have a minimum and a place of their own: roles in gangs, gangs in composites.
 *
 * @module
 */
import { Carried } from "../gang/carried.ts";
import { gangId } from "../gang/facts.ts";
import { censusOf, leavesOf as lowestIn, type RoleNode, roleTree } from "../gang/roles.ts";
import type { Composite, Role, Topology } from "../gang/topology.ts";
import { type Candidate, kindsOf, type Lack, requestsOf, type Use } from "../room/fit.ts";
import { type Ground, type Kind, largestFirst } from "../room/ground.ts";
import { type Demand, isIncomplete, shortOfMinResources } from "./demand.ts";
import { refusedText } from "./refused_text.ts";
import type { Refusing } from "./world.ts";

/** Members of one role and kind. */
export interface Alike extends Kind {
  readonly kind: string;
  readonly role: string | undefined;
  /** `namespace/name`; undefined in a group of one. */
  readonly gang: string | undefined;
  readonly count: number;
  /** So many rules say where they may run. */
  readonly rules: number;
  /** On nodes where they may run by all that plans know of the scheduler's own plugins refuse them. */
  readonly refused: Refusing | undefined;
}

/** So many of them on a node. */
export function useOf(
  { kind, role, gang, requests }: Alike,
  { node, count }: { node: string; count: number },
): Use {
  const whose = { ...(role !== undefined && { role }), ...(gang !== undefined && { gang }) };
  return { node, kind, requests, count, ...whose };
}

interface AnyPart {
  /** Of what a composite is made of: a gang's `namespace/name`, or the composite's name. */
  readonly name?: string;
  readonly topology: Topology;
  /** All members below that need a node. */
  readonly all: readonly Alike[];
  /** Nodes of its members that have one, or are held for one. */
  readonly placed: readonly string[];
  /** It can not become whole, whatever room there is. */
  readonly isBroken: boolean;
  /** Of what its gang asks of all nodes together there is too little. */
  readonly lack: Lack | undefined;
}

/** Members of one role, or of a gang without roles; the largest first. */
export interface Leaf extends AnyPart {
  readonly is: "leaf";
  /** So many of them are needed. */
  readonly needed: number;
  /** So many lack for its minimum, though its gang may bind without. */
  readonly wanted: number;
}

/** Parts, of which so many are needed. */
export interface Branch extends AnyPart {
  readonly is: "branch";
  /** Its parts are gangs and composites. */
  readonly isComposite?: true;
  /** Where all are needed the one with the largest member first. */
  readonly parts: readonly Part[];
  readonly min: number;
  /** So many members are needed, of whichever of its parts. */
  readonly members: number;
}

/** Members that are placed together. */
export type Part = Leaf | Branch;

/** What trees are made by. */
export interface Making {
  readonly ground: Ground;
  readonly composite?: Composite | undefined;
  /** Nodes that the scheduler refused, by kind. */
  readonly refused?: ReadonlyMap<string, Refusing> | undefined;
}

/** {@linkcode Making}, and for which gang. */
type MakingGang = Making & Pick<Alike, "gang">;

/** Trees of gangs of one kind, which are the same on every ground. */
const plain = new Carried<Demand, Part>();

/** The tree of a gang group. */
export function partOf(demands: readonly Demand[], options: Making): Part {
  const making = { ...options, gang: undefined };
  const { composite } = making;
  const [first] = demands;
  if (first && demands.length === 1 && !composite) return plainPart(first, making);
  const gangs = new Map(demands.map((demand) => [gangId(demand.facts.gang), demand]));
  const tree = composite ? [compositePart(composite, { gangs, making })] : [];
  const others = [...gangs].map(([gang, demand]) => gangPart(demand, { ...making, gang }));
  return tree.length === 1 && others.length === 0 ? tree[0]! : branch([...tree, ...others], making);
}

/** The fewest members that must find a node before a part is whole. */
export function neededOf(part: Part): number {
  if (part.is === "leaf") return part.needed;
  const each = part.parts.filter(({ isBroken }) => !isBroken || part.min === part.parts.length)
    .map(neededOf).sort((a, b) => a - b);
  return Math.max(part.members, each.slice(0, part.min).reduce((sum, one) => sum + one, 0));
}

/** Whether it may be whole without some of the gangs in it. */
export function isSelective(part: Part): boolean {
  return part.is === "branch" && part.isComposite === true &&
    (part.min < part.parts.length || part.parts.some(isSelective));
}

/** All gangs of a part of a composite, as `namespace/name`. */
export function gangsIn(part: Part): readonly string[] {
  return part.is === "branch" && part.isComposite ? part.parts.flatMap(gangsIn) : [part.name ?? ""];
}

/** So many keys its topology has. */
export function keysOf({ topology: { required, preferred = [] } }: Part): number {
  return preferred.length + Number(required !== undefined);
}

/** What is placed of a part. */
interface Seated {
  placedOf(members: readonly Alike[]): number;
}

/** Whether of parts that it can do without nobody is placed but where all are that these need. */
export function isSound(part: Part, placed: Seated): boolean {
  if (part.is === "leaf") return true;
  const isChoice = part.min < part.parts.length;
  const mayStart = (one: Part) =>
    !isChoice || placed.placedOf(one.all) === 0 || hasAll(one, placed);
  return part.parts.every((one) => mayStart(one) && isSound(one, placed));
}

/** Whether it has all that it needs to begin, by what is placed. */
export function hasAll(part: Part, placed: Seated): boolean {
  if (part.is === "leaf") return placed.placedOf(part.all) >= part.wanted;
  return part.parts.filter((one) => hasAll(one, placed)).length >= part.min;
}

/** Whether it, or a part of it, lacks minResources. */
export function isLacking(part: Part): boolean {
  return part.lack !== undefined || (part.is === "branch" && part.parts.some(isLacking));
}

/** All leaves of a part. */
export function leavesOf(part: Part): readonly Leaf[] {
  return part.is === "leaf" ? [part] : part.parts.flatMap(leavesOf);
}

/** Those of the gangs that the composite names are taken out of them; the first are those of which members have a node. */
function compositePart(
  { name, min, topology, children }: Composite,
  { gangs, making }: { gangs: Map<string, Demand>; making: MakingGang },
): Part {
  const parts = children.map((child): Part => {
    if (typeof child !== "string") return compositePart(child, { gangs, making });
    const demand = gangs.get(child);
    gangs.delete(child);
    const part = demand
      ? gangPart(demand, { ...making, gang: child })
      : { ...leaf([], making), isBroken: true };
    return { ...part, name: child };
  });
  const begunFirst = parts.toSorted((a, b) =>
    Number(b.placed.length > 0) - Number(a.placed.length > 0)
  );
  return { ...branch(begunFirst, { ...making, topology, min }), name, isComposite: true };
}

function plainPart(demand: Demand, making: MakingGang): Part {
  const isRefused = making.refused !== undefined && making.refused.size > 0;
  const known = isRefused ? undefined : plain.of(demand);
  if (known) return known;
  const part = gangPart(demand, making);
  const isPlain = part.is === "leaf" && part.all.length < 2 && demand.minResources.size === 0;
  if (isPlain && !isRefused) plain.put(demand, part);
  return part;
}

/** Whether that is the tree of a demand on every ground. */
export function isPlain(demand: Demand, part: Part): boolean {
  return plain.of(demand) === part;
}

function gangPart(demand: Demand, making: MakingGang): Part {
  const { facts, candidates, placed } = demand;
  const { topology, roles = [] } = facts.gang;
  const lack = shortOfMinResources(demand, making.ground.rooms);
  const members = Math.min(demand.needed, candidates.length);
  if (roles.length === 0) {
    const nodes = placed.map(({ node }) => node);
    const all = leaf(candidates, { ...making, topology, placed: nodes, needed: members });
    return { ...all, isBroken: isIncomplete(demand), lack };
  }
  const whole = branch(roleParts(demand, making), { ...making, topology, members });
  return { ...whole, isBroken: whole.isBroken || isIncomplete(demand), lack };
}

/** A part for each role at the top, and one for the members of no such role. */
function roleParts(demand: Demand, making: MakingGang): Part[] {
  const tree = roleTree(demand.facts.gang.roles ?? []);
  const partOfRole = (role: RoleNode): Part =>
    role.within.length === 0
      ? roleLeaf(role, { demand, making })
      : branch(role.within.map(partOfRole), { ...making, ...role });
  const named = new Set(lowestIn(tree).map(({ name }) => name));
  const { candidates, placed } = demand;
  const others = leaf(candidates.filter(({ role }) => !named.has(role ?? "")), {
    ...making,
    placed: placed.filter(({ role }) => !named.has(role ?? "")).map(({ node }) => node),
  });
  return [...tree.map(partOfRole), others];
}

function roleLeaf(
  { name, min, topology }: Role,
  { demand, making }: { demand: Demand; making: MakingGang },
): Leaf {
  const candidates = demand.candidates.filter(({ role }) => role === name);
  const placed = demand.placed.filter(({ role }) => role === name).map(({ node }) => node);
  const couldCome = candidates.length + placed.length;
  const census = censusOf(demand.facts, name);
  const succeeded = couldCome < min ? census.succeeded : 0;
  const counted = demand.isOnlyWaiting ? census.held : placed.length;
  const isLeft = demand.isStarted && couldCome === 0;
  const wanted = isLeft ? 0 : Math.max(0, min - counted - succeeded);
  const runs = demand.isStarted && census.bound > 0;
  const asked = demand.needed > 0 && !runs ? wanted : 0;
  const needed = Math.min(asked, candidates.length);
  const members = leaf(candidates, { ...making, topology, placed, needed, wanted });
  return { ...members, isBroken: candidates.length < asked };
}

function leaf(
  candidates: readonly Candidate[],
  { ground, refused, gang, topology = {}, placed = [], needed = 0, wanted = 0 }: MakingGang & {
    topology?: Topology | undefined;
    placed?: readonly string[];
    needed?: number;
    wanted?: number;
  },
): Leaf {
  const kinds = kindsOf(candidates).map((alike) => alikeOf(alike, { refused, gang }));
  const all = largestFirst(kinds, { membersOf: (kind) => [kind], ground });
  return { is: "leaf", topology, all, placed, needed, wanted, isBroken: false, lack: undefined };
}

function branch(
  parts: readonly Part[],
  { ground, topology = {}, min = parts.length, members = 0 }: Making & {
    topology?: Topology | undefined;
    min?: number | undefined;
    members?: number;
  },
): Branch {
  return {
    is: "branch",
    topology,
    all: parts.flatMap(({ all }) => all),
    placed: parts.flatMap(({ placed }) => placed),
    parts: min < parts.length
      ? parts
      : largestFirst(parts, { membersOf: ({ all }) => all, ground }),
    min,
    members,
    isBroken: parts.filter(({ isBroken }) => !isBroken).length < min,
    lack: undefined,
  };
}

function alikeOf(
  members: readonly Candidate[],
  { refused, gang }: Pick<MakingGang, "refused" | "gang">,
): Alike {
  const [{ kind, role, exclusive, mayRunOn, requests, rules = 0 }] = members as [Candidate];
  const nodes = refused?.get(kind);
  return {
    refused: nodes,
    key: nodes || exclusive ? JSON.stringify([kind, exclusive, nodes && refusedText(nodes)]) : kind,
    kind,
    rules,
    role,
    gang,
    requests: requestsOf({ requests, exclusive }),
    mayRunOn: nodes ? (node) => nodes.more.get(node) !== 0 && mayRunOn(node) : mayRunOn,
    ...(nodes && { most: (node: string) => nodes.more.get(node) ?? Infinity }),
    count: members.length,
  };
}
