/**
 * The nodes that `filter` offers to a member of a gang that was let in.
 *
 * @module
 */
import { whyPending } from "../words/why_pending.ts";
import type { Attended } from "./attended.ts";
import { whyGangLeftOut } from "./gang_verdict.ts";
import { openPlaces, sendTo, thereOn } from "./placement.ts";
import { believing, type UnplacedReason } from "./refusal.ts";
import { learn } from "./refused_nodes.ts";
import type { RoomFor } from "./spare.ts";
import { memberComes } from "./surplus.ts";

/** A member, and the nodes that the scheduler's own plugins take it on. */
export interface OfferedMember {
  readonly uid: string;
  /** `namespace/name`. */
  readonly gang: string;
  /** Undefined where its pod has not been seen yet. */
  readonly kind: string | undefined;
  readonly nodes: readonly string[];
  /** The scheduler tries that node alone, before all others. */
  readonly nominated: string | undefined;
  /** The scheduler has named so many that it may have more. */
  readonly isPart: boolean;
  /** Nothing is said of where it would rather run: the scheduler would weigh only what is free on a node. */
  readonly isIndifferent: boolean;
  /** How many members of its kind have a node or are held for it, by node. */
  readonly alikeOn: () => ReadonlyMap<string, number>;
  /** What room for it there is on a node; undefined: none, as far as is known. */
  readonly roomOn: (node: string) => RoomFor | undefined;
  /** A node is another than a moment ago, or somebody has left it: the scheduler may not have heard of that. */
  readonly hasJustChanged: (node: string) => boolean;
  /** Of these nodes the one to fill first; undefined: none has room for it. */
  readonly fullestOf: (nodes: readonly string[]) => string | undefined;
}

/** The nodes that it may take; none: why not now. */
export interface Offered {
  readonly attended: Attended;
  readonly nodes: readonly string[];
  readonly refusal?: {
    readonly reason: OfferReason;
    readonly message: string;
    /** The scheduler is about to ask again, with all its nodes. */
    readonly isAskedAgain: boolean;
  };
}

type OfferReason = Exclude<UnplacedReason, "PlannedElsewhere">;

/** Those of the scheduler's nodes that a member may take, which is on its way to be held then. */
export function offer(attended: Attended, member: OfferedMember, now: number): Offered {
  const { uid, kind, nodes } = member;
  const { placement } = attended;
  const comes = (nodes: readonly string[], known = attended): Offered => ({
    attended: memberComes(known, uid, now),
    nodes,
  });
  if (kind === undefined) return comes(roomyOf(member));
  const isFree = placement.steering === "free";
  if (isFree && placement.isPublished) {
    return comes(member.isIndifferent ? fullestOf(member) : roomyOf(member));
  }
  const places = openPlaces(placement, { uid, kind, gang: member.gang });
  const mayGo = (place: string) =>
    !isFree || (member.isIndifferent && member.roomOn(place) !== undefined);
  const node = places.find((place) => nodes.includes(place) && mayGo(place));
  if (node !== undefined) {
    const sent = sendTo(placement, uid, { node, kind, gang: member.gang });
    return comes([node], { ...attended, placement: sent });
  }
  if (isFree) return comes(roomyOf(member));
  if (places.length > 0) return unplaced(attended, { member, places, kind }, now);
  const spare = placement.steering === "planned" ? spareOf(member) : [];
  return spare.length > 0
    ? comes(spare)
    : refusing(attended, member, { reason: "NoPlace", places });
}

/** Where there is room for it; all where there is none, because the scheduler knows of some. */
function roomyOf({ nodes, roomOn }: OfferedMember): readonly string[] {
  const roomy = nodes.filter((node) => roomOn(node) !== undefined);
  return roomy.length > 0 && roomy.length < nodes.length ? roomy : nodes;
}

/** One of those where there is room for it: the scheduler would weigh nothing else, which costs it more. */
function fullestOf({ nodes, fullestOf }: OfferedMember): readonly string[] {
  const fullest = fullestOf(nodes);
  return fullest === undefined ? nodes : [fullest];
}

/** Where there is room beside all plans: what its own group's has is for those that are on their way there. */
function spareOf({ nodes, roomOn }: OfferedMember): readonly string[] {
  return nodes.filter((node) => roomOn(node) === "spare");
}

/**
 * The scheduler names all its nodes, and none of the member's places among them. It refuses those where there is room that nobody
 * else is on the way to, and that has not come just now: the group is planned without them.
 */
function unplaced(
  attended: Attended,
  { member, places, kind }: {
    member: OfferedMember;
    places: readonly string[];
    kind: string;
  },
  now: number,
): Offered {
  if (member.isPart || isTriedAlone(member)) {
    return refusing(attended, member, { reason: "NotOffered", places });
  }
  const refusedNodes = learn(attended.refusedNodes, {
    kind,
    nodes: places.filter((place) => isSure(member.roomOn(place)) && !member.hasJustChanged(place)),
    now,
    thereOn: thereOn(attended, { ...member, kind, alikeOn: member.alikeOn() }),
  });
  const learnt = { ...attended, refusedNodes, plan: undefined };
  return refusing(learnt, member, { reason: "Replanned", places });
}

/** Whether it is there when the member comes to it. */
function isSure(room: RoomFor | undefined): boolean {
  return room !== undefined && room !== "contested";
}

function refusing(
  attended: Attended,
  member: OfferedMember,
  { reason, places }: {
    reason: Exclude<OfferReason, "LeftOut">;
    places: readonly string[];
  },
): Offered {
  const { gang, nodes } = member;
  const leftOut = reason === "NoPlace" ? whyGangLeftOut(attended, gang) : undefined;
  const why = leftOut ?? whyPending({ reason, gang, places, offered: nodes.length });
  const refusal = { ...why, isAskedAgain: isTriedAlone(member) };
  return { attended: believing(attended, member), nodes: [], refusal };
}

/** The scheduler names the node alone to which the member was nominated; where it does not get it, all others are next. */
export function isTriedAlone({ nodes, nominated }: OfferedMember): boolean {
  return nodes.length === 1 && nodes[0] === nominated;
}
