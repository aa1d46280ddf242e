/**
 * What `filter` is asked about a member, as a recording has it.
 *
 * @module
 */
import type { Offered, OfferedMember } from "../attend/offer.ts";
import type { Placement } from "../attend/placement.ts";
import type { OfferText } from "./recording.ts";

/** A member of which it is noted which nodes have room for it. */
export class HeardOffer {
  readonly member: OfferedMember;
  readonly #kept = new Set<string>();
  readonly #own = new Set<string>();
  #spare: string | undefined;

  constructor(member: OfferedMember) {
    this.member = {
      ...member,
      roomOn: (node) => {
        const room = member.roomOn(node);
        if (room === "spare") this.#spare ??= node;
        else (room === "own" ? this.#own : this.#kept).add(node);
        return room;
      },
    };
  }

  text({ uses }: Placement): OfferText {
    const { uid, gang, kind, nodes, isPart } = this.member;
    const planned = new Set(uses.map(({ node }) => node));
    const hangs = (node: string) =>
      planned.has(node) || this.#kept.has(node) || this.#own.has(node) || node === this.#spare;
    return {
      uid,
      gang,
      ...(kind !== undefined && { kind }),
      nodes: nodes.filter(hangs),
      ...(isPart && { isPart }),
      ...(this.#kept.size > 0 && { kept: [...this.#kept] }),
      ...(this.#own.size > 0 && { own: [...this.#own] }),
    };
  }
}

/** The member that a recording speaks of. */
export function offerFrom(
  { uid, gang, kind, nodes, nominated, isPart, kept = [], own = [] }: OfferText,
): OfferedMember {
  return {
    uid,
    gang,
    kind,
    nodes,
    nominated,
    isPart: isPart === true,
    roomOn: (node) => kept.includes(node) ? undefined : own.includes(node) ? "own" : "spare",
  };
}

/** The answer in short, as far as it is about nodes on which something hangs. */
export function saidAt(
  hanging: readonly string[],
  { nodes, refusal }: Offered,
  member: OfferedMember,
): string | null {
  if (refusal) return refusal.reason;
  return nodes === member.nodes ? null : hanging.filter((node) => nodes.includes(node)).join(" ");
}
