/**
 * What the scheduler's own plugins have against members of a gang on a node, of which no plan knows.
 *
 * @module
 */
import type { Attended } from "../../../shared/core/attend/attended.ts";
import { stillRefused } from "../../../shared/core/attend/refused_nodes.ts";
import { alikeIn, assumedNodeOf, type Member, type PureGang } from "./pure_gang.ts";

/** A group that has learnt of them. */
interface Knowing {
  readonly attended: Attended;
  readonly gangs: readonly PureGang[];
}

/** Reasons that come and go, of which the nodes themselves show nothing. */
export class PurePlugins {
  /** `node gang` */
  readonly #refusals = new Set<string>();
  readonly #apart = new Set<string>();
  readonly #claiming = new Set<string>();

  /** They have reasons against a gang's members on a node, or have them no more. */
  turn(node: string, gang: string): void {
    const refused = `${node} ${gang}`;
    if (!this.#refusals.delete(refused)) this.#refusals.add(refused);
  }

  /**
   * From now on at most one member of a gang goes to a node, as with host ports, or with claims for the one device that a node has:
   * each alone is taken where two are not.
   */
  keepApart(gang: string, { claims = false }: { claims?: boolean | undefined } = {}): void {
    this.#apart.add(gang);
    if (claims) this.#claiming.add(gang);
  }

  /** A member is let go that was held there. */
  letGo(member: Member, node: string): void {
    if (this.#claiming.has(member.gang.id)) member.pin = node;
  }

  /** Nothing is refused any more that came and went. */
  settle(): void {
    this.#refusals.clear();
  }

  refuse(member: Member, node: string): boolean {
    const { id, members } = member.gang;
    if (this.#refusals.size > 0 && this.#refusals.has(`${node} ${id}`)) return true;
    if (!this.#apart.has(id)) return false;
    if (member.pin !== undefined && member.pin !== node) return true;
    return members.some((other) =>
      other !== member && (assumedNodeOf(other) ?? other.pin) === node
    );
  }

  /** What a group has learnt of it and stands. */
  knownTo(
    { attended: { refusedNodes }, gangs }: Knowing,
    now: number,
  ): ReturnType<typeof stillRefused> {
    const alikeOn = (kind: string) => alikeIn(gangs, kind);
    return stillRefused(refusedNodes, { changedAt: () => 0, now, alikeOn });
  }
}

/** What the scheduler says of a pod that no node takes, though these have room. */
export function messageOf(roomy: readonly string[]): string {
  const why = roomy.length > 0 ? "node(s) had volume node affinity conflict" : "Insufficient gpu";
  return `0/1 nodes are available: 1 ${why}.`;
}
