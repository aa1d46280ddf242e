/**
 * What `filter` is asked about a member, as a recording has it.
 *
 * @module
 */
import type { Attended } from "../attend/attended.ts";
import { isTriedAlone, type Offered, type OfferedMember } from "../attend/offer.ts";
import { offeredAgain } from "../attend/refused_nodes.ts";
import type { RoomFor } from "../attend/spare.ts";
import type { OfferText } from "./recording.ts";

/** A member of which it is noted which nodes have room for it. */
export class HeardOffer {
  readonly member: OfferedMember;
  readonly #kept = new Set<string>();
  readonly #own = new Set<string>();
  readonly #contested = new Set<string>();
  readonly #changed = new Set<string>();
  #spare: string | undefined;
  #fullest: string | undefined;
  #alike: ReadonlyMap<string, number> = new Map();

  constructor(member: OfferedMember) {
    this.member = {
      ...member,
      roomOn: (node) => {
        const room = member.roomOn(node);
        if (room === "spare") this.#spare ??= node;
        else this.#nodesOf(room).add(node);
        return room;
      },
      hasJustChanged: (node) => {
        const hasChanged = member.hasJustChanged(node);
        if (hasChanged) this.#changed.add(node);
        return hasChanged;
      },
      alikeOn: () => this.#alike = member.alikeOn(),
      fullestOf: (nodes) => this.#fullest = member.fullestOf(nodes),
    };
  }

  /** By what was known of its group before. */
  text({ placement, refusedNodes }: Attended): OfferText {
    const { uid, gang, kind, nodes, isPart, isIndifferent } = this.member;
    const planned = new Set(placement.uses.map(({ node }) => node));
    const again = new Set(offeredAgain(refusedNodes, { ...this.member, thereOn: () => Infinity }));
    const alike = [...this.#alike].filter(([node]) => planned.has(node) || again.has(node));
    const isAlone = isTriedAlone(this.member);
    const hangs = (node: string) =>
      isAlone || planned.has(node) || again.has(node) || node === this.#spare ||
      node === this.#fullest ||
      [this.#kept, this.#own, this.#contested].some((nodes) => nodes.has(node));
    return {
      uid,
      gang,
      ...(kind !== undefined && { kind }),
      nodes: nodes.filter(hangs),
      ...(isAlone && { nominated: nodes[0] }),
      ...(isPart && { isPart }),
      ...(isIndifferent && { isIndifferent }),
      ...(this.#fullest !== undefined && { fullest: this.#fullest }),
      ...(this.#kept.size > 0 && { kept: [...this.#kept] }),
      ...(this.#own.size > 0 && { own: [...this.#own] }),
      ...(this.#contested.size > 0 && { contested: [...this.#contested] }),
      ...(this.#changed.size > 0 && { changed: [...this.#changed] }),
      ...(alike.length > 0 && { alikeOn: alike }),
    };
  }

  #nodesOf(room: Exclude<RoomFor, "spare"> | undefined): Set<string> {
    if (room === undefined) return this.#kept;
    return room === "own" ? this.#own : this.#contested;
  }
}

/** The member that a recording speaks of. */
export function offerFrom(
  { uid, gang, kind, nodes, nominated, ...said }: OfferText,
): OfferedMember {
  const { kept = [], own = [], contested = [], changed = [], fullest } = said;
  return {
    uid,
    gang,
    kind,
    nodes,
    nominated,
    isPart: said.isPart === true,
    isIndifferent: said.isIndifferent === true,
    roomOn: (node) => {
      if (kept.includes(node)) return undefined;
      if (contested.includes(node)) return "contested";
      return own.includes(node) ? "own" : "spare";
    },
    hasJustChanged: (node) => changed.includes(node),
    alikeOn: () => new Map(said.alikeOn),
    fullestOf: (nodes) => nodes.find((node) => node === fullest),
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
