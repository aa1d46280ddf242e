/**
 * What the scheduler's own plugins have against members of a gang on a node, of which no plan knows.
 *
 * @module
 */
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { stillRefused } from "../../../shared/core/attend/refused_nodes.ts";
import { assumedNodeOf, type Member } from "./pure_gang.ts";

/** Reasons that come and go, of which the nodes themselves show nothing. */
export class PurePlugins {
  /** `node gang` */
  readonly #refusals = new Set<string>();
  readonly #apart = new Set<string>();

  /** They have reasons against a gang's members on a node, or have them no more. */
  turn(node: string, gang: string): void {
    const refused = `${node} ${gang}`;
    if (!this.#refusals.delete(refused)) this.#refusals.add(refused);
  }

  /** From now on at most one member of a gang goes to a node, as with host ports: each alone is taken where two are not. */
  keepApart(gang: string): void {
    this.#apart.add(gang);
  }

  /** Nothing is refused any more that came and went. */
  settle(): void {
    this.#refusals.clear();
  }

  refuse(member: Member, node: string): boolean {
    const { id, members } = member.gang;
    if (this.#refusals.size > 0 && this.#refusals.has(`${node} ${id}`)) return true;
    return this.#apart.has(id) &&
      members.some((other) => other !== member && assumedNodeOf(other) === node);
  }

  /** What a group has learnt of it and stands. */
  knownTo({ refusedNodes }: Attended, now: number): ReturnType<typeof stillRefused> {
    return stillRefused(refusedNodes, { changedAt: () => 0, now });
  }
}

/** What the scheduler says of a pod that no node takes, though these have room. */
export function messageOf(roomy: readonly string[]): string {
  const why = roomy.length > 0 ? "node(s) had volume node affinity conflict" : "Insufficient gpu";
  return `0/1 nodes are available: 1 ${why}.`;
}
