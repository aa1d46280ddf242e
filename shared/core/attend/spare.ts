/**
 * Room that a member may take beside its group's plan without taking another group's.
 *
 * @module
 */
import type { Plans } from "../plan/plan.ts";
import { amountOf, fitting, type OwnRoom, type Resources, take, wasteOf } from "../room/fit.ts";
import { times } from "./times.ts";

/** A member that is on its way to a node. */
export interface Mover {
  readonly uid: string;
  /** Canonical name of its group. */
  readonly group: string;
  readonly kind: string;
  readonly requests: Resources;
}

/**
 * Room on a node for a member: beside all plans (`spare`), its group's by its plan (`own`), or such that somebody who was on the way
 * there before that plan may come to it first (`contested`).
 */
export type RoomFor = "spare" | "own" | "contested";

/** A member that may be on its way. */
interface Moving {
  readonly member: Mover;
  /** Absent: to any of several. */
  readonly to: { readonly node: string; readonly took: "spare" | "own" | undefined } | undefined;
  /** The nodes that it may go to. */
  readonly among: ReadonlySet<string>;
  /** In ms since the epoch. */
  readonly until: number;
}

/** What was left by the last plans, less what has been taken since. */
export class Spare {
  #left: Plans["spare"] = () => undefined;
  /** Of what is left, on nodes of which something was taken. */
  readonly #rest: OwnRoom = new Map();
  /** Places of groups by their plans: how many on a node, by {@linkcode kindOf}. */
  readonly #own = new Map<string, Map<string, number>>();
  /** Members that may be on their way, by uid. */
  readonly #moving = new Map<string, Moving>();

  /** All groups were planned anew. */
  planned({ spare, byGroup }: Pick<Plans, "spare" | "byGroup">): void {
    this.#left = spare;
    this.#rest.clear();
    this.#own.clear();
    for (const [group, { taken = [], surplus = [] }] of byGroup) {
      for (const { node, kind, count } of [...taken, ...surplus]) {
        const own = this.#ownOf({ group, kind });
        own.set(node, (own.get(node) ?? 0) + count);
      }
    }
    for (const [uid, moving] of this.#moving) {
      const { member, to } = moving;
      if (to) this.#moving.set(uid, { ...moving, to: this.#takeOn(to.node, member) });
    }
  }

  /** What room there is for a member on nodes, whatever those on their way take. */
  roomFor(member: Mover): (node: string) => RoomFor | undefined {
    const movers = [...this.#moving.values()].filter(({ to, member: { uid } }) =>
      !to && uid !== member.uid
    );
    const before = this.#moving.get(member.uid)?.to;
    const isRival = (mover: Moving) => kindOf(mover.member) === kindOf(member);
    const rivals = movers.filter(isRival).length;
    const others = movers.filter((mover) => !isRival(mover));
    const own = this.#ownOf(member);
    const asks = sumFor(member, movers);
    return (node) => {
      if (before?.took && before.node === node) return before.took;
      const free = this.#rest.get(node) ?? this.#left(node);
      if (free && fitting(asks, free) > 0) return "spare";
      const places = (own.get(node) ?? 0) - rivals;
      if (places <= 0) return undefined;
      return this.#isContested(node, { member, places, others }) ? "contested" : "own";
    };
  }

  /** Of nodes with room for a member one where its group is planned, or else the one of which it wastes least; undefined: none has any. */
  fullestOf(member: Mover, nodes: readonly string[]): string | undefined {
    const roomOn = this.roomFor(member);
    const own = this.#ownOf(member);
    const isPlanned = (node: string) => (own.get(node) ?? 0) > 0 && roomOn(node) !== undefined;
    const planned = own.size > 0 ? nodes.find(isPlanned) : undefined;
    if (planned !== undefined) return planned;
    const wasteOn = wasteOf(member.requests);
    let [fullest, least]: [string | undefined, number] = [undefined, Infinity];
    for (const node of nodes) {
      const wasted = wasteOn(this.#rest.get(node) ?? this.#left(node) ?? new Map());
      // Of hundreds of nodes most are alike: whether there is room is asked of few.
      if (wasted < least && roomOn(node) !== undefined) [fullest, least] = [node, wasted];
    }
    return fullest;
  }

  /** The scheduler may take one of these nodes for a member, of several any there is; `now` is in ms since the epoch. */
  moves(member: Mover, { nodes, now }: { nodes: readonly string[]; now: number }): void {
    if (nodes.length === 0) return;
    for (const [uid, { until }] of this.#moving) if (until <= now) this.#moving.delete(uid);
    const before = this.#moving.get(member.uid)?.to;
    const only = nodes.length === 1 ? nodes[0] : undefined;
    let to = only === undefined ? undefined : before;
    if (only !== undefined && before?.node !== only) to = this.#takeOn(only, member);
    this.#moving.set(member.uid, { member, to, among: new Set(nodes), until: now + times.moves });
  }

  /** A member is on that node now. */
  arrived(member: Mover, node: string): void {
    const before = this.#moving.get(member.uid)?.to;
    this.#moving.delete(member.uid);
    if (before?.node !== node) this.#takeOn(node, member);
  }

  /** Whether those that may come to a node take more than is left there, so that perhaps none of these places stays. */
  #isContested(
    node: string,
    { member: { requests }, places, others }: {
      member: Mover;
      places: number;
      others: readonly Moving[];
    },
  ): boolean {
    const left = this.#left(node);
    if (!left) return false;
    const rest = this.#rest.get(node) ?? left;
    const claims = this.#claimsOn(node, others);
    return [...requests].some(([resource, amount]) => {
      if (amount <= 0) return false;
      const claimed = sumOf(resource, claims) - amountOf(rest, resource);
      return claimed + Math.min(0, amountOf(left, resource)) > (places - 1) * amount;
    });
  }

  /** Those that may go to a node beyond the places that their groups' plans have there. */
  #claimsOn(node: string, movers: readonly Moving[]): readonly Moving[] {
    const places = new Map<string, number>();
    return movers.filter(({ member, among }) => {
      if (!among.has(node)) return false;
      const kind = kindOf(member);
      const left = places.get(kind) ?? this.#own.get(kind)?.get(node) ?? 0;
      places.set(kind, left - 1);
      return left <= 0;
    });
  }

  #takeOn(node: string, member: Mover): NonNullable<Moving["to"]> {
    const own = this.#ownOf(member);
    const planned = own.get(node) ?? 0;
    if (planned > 0) {
      own.set(node, planned - 1);
      return { node, took: "own" };
    }
    const left = this.#rest.get(node) ?? this.#left(node);
    if (!left) return { node, took: undefined };
    this.#rest.set(node, left);
    take(this.#rest, node, member);
    return { node, took: "spare" };
  }

  #ownOf(member: Pick<Mover, "group" | "kind">): Map<string, number> {
    const kind = kindOf(member);
    let own = this.#own.get(kind);
    if (!own) this.#own.set(kind, own = new Map());
    return own;
  }
}

function kindOf({ group, kind }: Pick<Mover, "group" | "kind">): string {
  return `${group} ${kind}`;
}

/** What a member asks for, and others beside it of the same resources. */
function sumFor({ requests }: Mover, others: readonly Moving[]): Resources {
  if (others.length === 0) return requests;
  return new Map([...requests].map(([resource, amount]) => [
    resource,
    amount > 0 ? amount + sumOf(resource, others) : amount,
  ]));
}

function sumOf(resource: string, movers: readonly Moving[]): number {
  return movers.reduce((sum, { member }) => sum + (member.requests.get(resource) ?? 0), 0);
}
