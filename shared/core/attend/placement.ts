/**
 * Where the members of a group are to go: where the plan found that they have room together. The scheduler, which looks at
 * one member at a time, would give one the room that only another can use.
 *
 * @module
 */
import type { LeftOut } from "../gang/facts.ts";
import type { Plan } from "../plan/plan.ts";
import type { Steering } from "../plan/steering.ts";
import { joined, type Use } from "../room/fit.ts";
import type { SharedMap } from "./shared_map.ts";

/** What a member is alike to. */
export interface MemberKind {
  readonly kind: string;
  /** `namespace/name`. */
  readonly gang: string;
}

/** A member's node. */
export interface MemberPlace extends MemberKind {
  readonly node: string;
}

/** Where members go by the last plan. */
export interface Placement {
  /** `unplanned`: nothing has been planned yet. */
  readonly steering: Steering | "unplanned";
  /** Each place once; none: nothing was planned, or there is no room. */
  readonly uses: readonly Use[];
  readonly isPublished: boolean;
  /** Of a group that can do without some of its gangs; absent: it needs all of them. */
  readonly choice?: Choice | undefined;
  /** Of members that are neither bound nor held and were sent to a node, by uid. */
  readonly chosen: SharedMap<MemberPlace>;
}

/** Which of its gangs a group is to start with, by the last plan. */
export interface Choice {
  /** Gangs that it counts on and that lack members. */
  readonly counted: ReadonlySet<string>;
  /** Gangs that have no place. */
  readonly without: ReadonlySet<string>;
  readonly leftOut: readonly LeftOut[];
}

/** Whether the last plan has no place for a gang, and its group can do without it. */
export function isGangLeftOut({ choice }: Pick<Placement, "choice">, gang: string): boolean {
  return choice?.without.has(gang) === true;
}

/** Of members that were sent to a node: which still wait for one, and of which the bind call is next. */
export interface OnTheWay {
  readonly waits: (uid: string) => boolean;
  readonly comes: (uid: string) => boolean;
}

/**
 * The group was planned anew: its members that still wait keep their places as far as the plan has them, those whose calls are
 * next before others, or get others.
 */
export function followPlan(
  before: Placement,
  plan: Pick<Plan, "taken" | "surplus" | "leftOut" | "steering" | "isPublished">,
  { waits, comes }: OnTheWay,
): Placement {
  const { taken, surplus = [], steering = "free" } = plan;
  const { chosen } = before;
  const isPublished = plan.isPublished === true;
  if (!taken && isNowhere(before, { steering, isPublished })) return before;
  const uses = taken ? joined([...taken, ...surplus]) : [];
  // Without room for what it needs the group starts with nobody else.
  const choice = taken ? choiceOf(plan) : before.choice;
  let placement: Placement = { steering, uses, isPublished, ...(choice && { choice }), chosen };
  const left = new Map(uses.map((use) => [use, use.count]));
  const moved: ({ readonly uid: string } & MemberKind)[] = [];
  const comingFirst = [...chosen].sort(([a], [b]) => Number(comes(b)) - Number(comes(a)));
  for (const [uid, place] of comingFirst) {
    const isWaiting = waits(uid);
    const use = isWaiting ? uses.find((use) => isAt(use, place) && left.get(use)! > 0) : undefined;
    if (use) {
      left.set(use, left.get(use)! - 1);
      continue;
    }
    placement = { ...placement, chosen: placement.chosen.without(uid) };
    if (isWaiting) moved.push({ uid, kind: place.kind, gang: place.gang });
  }
  return sendOn(placement, moved);
}

/** Whether nobody goes anywhere by it, and its plan says the same of how members would go. */
function isNowhere(
  { uses, chosen, ...placement }: Placement,
  { steering, isPublished }: Pick<Placement, "steering" | "isPublished">,
): boolean {
  return uses.length === 0 && chosen.size === 0 && placement.steering === steering &&
    placement.isPublished === isPublished;
}

function choiceOf({ taken = [], leftOut }: Pick<Plan, "taken" | "leftOut">): Choice | undefined {
  return leftOut && {
    counted: new Set(taken.flatMap(({ gang }) => gang ?? [])),
    without: new Set(leftOut.flatMap(({ gangs }) => gangs)),
    leftOut: leftOut.map(({ part, fit }) => ({ part, ...(fit && { fit }) })),
  };
}

/** Of members that were told to go to a node, those for which the plan still has a place there. */
export function stillPlanned(nominated: SharedMap<string>, { uses }: Placement): SharedMap<string> {
  const planned = new Set(uses.map(({ node }) => node));
  let still = nominated;
  for (const [uid, node] of nominated) if (!planned.has(node)) still = still.without(uid);
  return still;
}

/** Members go, one after another, each to the first place that is open for it, if there is one. */
export function sendOn(
  placement: Placement,
  members: readonly ({ readonly uid: string } & MemberKind)[],
): Placement {
  if (members.length === 0) return placement;
  let sent = placement;
  const openTo = eachKindOnce((alike) => openFor(placement, alike));
  for (const { uid, kind, gang } of members) {
    const node = openTo({ kind, gang })(uid);
    if (node !== undefined) sent = sendTo(sent, uid, { node, kind, gang });
  }
  return sent;
}

/** What is found out about members of a kind, once for all that are alike. */
function eachKindOnce<T>(find: (alike: MemberKind) => T): (alike: MemberKind) => T {
  const known = new Map<string, T>();
  return (alike) => {
    const id = `${alike.gang} ${alike.kind}`;
    const found = known.has(id) ? known.get(id)! : find(alike);
    known.set(id, found);
    return found;
  };
}

/** Gives each member of a kind the first of its {@linkcode openPlaces}, as those before it have left them. */
function openFor(
  placement: Placement,
  alike: MemberKind,
): (uid: string) => string | undefined {
  const left = leftFor(placement, alike);
  const nodes = [...left.keys()];
  let first = 0;
  return (uid) => {
    const own = placement.chosen.get(uid);
    if (own && isAlike(own, alike)) add(left, own.node, 1);
    // A place that is taken stays so: only members that have none there leave one.
    while (first < nodes.length && left.get(nodes[first]!)! <= 0) first++;
    const node = own && (left.get(own.node) ?? 0) > 0 ? own.node : nodes[first];
    if (node !== undefined) add(left, node, -1);
    return node;
  };
}

/** Whether there are {@linkcode openPlaces} for a member. */
export function hasOpenPlaces(
  placement: Placement,
): (member: { readonly uid: string } & MemberKind) => boolean {
  const leftOf = eachKindOnce((alike) => {
    const left = leftFor(placement, alike);
    return { left, isOpen: left.values().some((count) => count > 0) };
  });
  return ({ uid, ...alike }) => {
    const { left, isOpen } = leftOf(alike);
    const own = placement.chosen.get(uid);
    // Its own is open as long as no more are sent there than it has place for, this one among them.
    return isOpen || (own !== undefined && isAlike(own, alike) && (left.get(own.node) ?? -1) >= 0);
  };
}

/** How many more of a kind the plan has place for, by node; where others have been sent there meanwhile, less than none. */
function leftFor({ uses, chosen }: Placement, alike: MemberKind): Map<string, number> {
  const left = new Map<string, number>();
  for (const use of uses) if (isFor(use, alike)) left.set(use.node, use.count);
  for (const place of chosen.values()) if (isAlike(place, alike)) add(left, place.node, -1);
  return left;
}

function add(left: Map<string, number>, node: string, count: number): void {
  const before = left.get(node);
  if (before !== undefined) left.set(node, before + count);
}

/** The places that the plan has for one more of the member's gang and kind: its own first, if it has one. */
export function openPlaces(
  { uses, chosen }: Placement,
  { uid, ...alike }: { uid: string } & MemberKind,
): string[] {
  const own = chosen.get(uid);
  const sent = new Map<string, number>();
  for (const [other, place] of chosen) {
    if (other === uid || !isAlike(place, alike)) continue;
    sent.set(place.node, (sent.get(place.node) ?? 0) + 1);
  }
  const open = uses.filter((use) => isFor(use, alike) && (sent.get(use.node) ?? 0) < use.count);
  return open.map(({ node }) => node).sort((a, b) =>
    Number(b === own?.node) - Number(a === own?.node)
  );
}

/** How many members like this one are on a node, or on their way there: the scheduler counts them when it tries this one. */
export function thereOn(
  { placement: { chosen }, coming }: {
    readonly placement: Pick<Placement, "chosen">;
    readonly coming: Pick<SharedMap<number>, "has">;
  },
  { uid, kind, alikeOn }: {
    uid: string;
    kind: string;
    alikeOn: Iterable<readonly [node: string, members: number]>;
  },
): (node: string) => number {
  const there = new Map(alikeOn);
  for (const [other, { node, ...place }] of chosen) {
    if (other === uid || place.kind !== kind || !coming.has(other)) continue;
    there.set(node, (there.get(node) ?? 0) + 1);
  }
  return (node) => there.get(node) ?? 0;
}

/** A member has come to where it was sent, or never will: nobody else is to go there in its stead. */
export function withoutPlaceOf(placement: Placement, uid: string): Placement {
  const place = placement.chosen.get(uid);
  if (!place) return placement;
  const index = placement.uses.findIndex((use) => isAt(use, place));
  const uses = placement.uses.flatMap((use, at) =>
    at !== index ? [use] : use.count > 1 ? [{ ...use, count: use.count - 1 }] : []
  );
  return { ...placement, uses, chosen: placement.chosen.without(uid) };
}

/** A member goes to that node. */
export function sendTo(placement: Placement, uid: string, place: MemberPlace): Placement {
  return { ...placement, chosen: placement.chosen.with(uid, place) };
}

function isAt(use: Use, place: MemberPlace): boolean {
  return use.node === place.node && isFor(use, place);
}

function isAlike(one: MemberKind, other: MemberKind): boolean {
  return one.kind === other.kind && one.gang === other.gang;
}

function isFor(use: Use, { kind, gang }: MemberKind): boolean {
  return use.kind === kind && (use.gang ?? gang) === gang;
}
