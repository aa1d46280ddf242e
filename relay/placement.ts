/**
 * Where the members of a group are to go whose last round failed though the plan had room for all of them: the scheduler,
 * which looks at one member at a time, gave one the room that only another can use.
 *
 * @module
 */
import type { Use } from "../shared/core/fit.ts";

/** Sends each member of a group to a node that the plan chose for its kind. */
export class Placement {
  #uses: readonly Use[] = [];
  /** Nodes of the members that were let through and are not known to be held, by uid. */
  #chosen = new Map<string, { node: string; kind: string }>();

  /** The group was planned anew: its members that still wait are to go where `uses` says; anywhere, where that is empty. */
  follow(uses: readonly Use[], waits: (uid: string) => boolean): void {
    const isMixed = uses.some(({ kind }) => kind !== uses[0]!.kind);
    this.#uses = isMixed ? uses : [];
    for (const uid of this.#chosen.keys()) {
      if (!isMixed || !waits(uid)) this.#chosen.delete(uid);
    }
  }

  /** Which of these nodes a member may take: the planned one, or all where the scheduler has reasons against every planned one. */
  choose(member: { uid: string; kind: string }, nodes: readonly string[]): readonly string[] {
    const { uid, kind } = member;
    const others = [...this.#chosen].filter(([other, { kind }]) =>
      other !== uid && kind === member.kind
    );
    const isOpen = ({ node, count }: Use) =>
      others.filter(([, chosen]) => chosen.node === node).length < count;
    const before = this.#chosen.get(uid)?.node;
    const open = this.#uses.filter((use) =>
      use.kind === kind && nodes.includes(use.node) && isOpen(use)
    );
    const node = (open.find((use) => use.node === before) ?? open[0])?.node;
    if (node === undefined) return nodes;
    this.#chosen.set(uid, { node, kind });
    return [node];
  }
}
