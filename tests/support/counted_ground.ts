/**
 * How much work searches make, whatever the machine.
 *
 * @module
 */
import type { Resources } from "../../shared/core/room/fit.ts";
import { Ground, type Kind } from "../../shared/core/room/ground.ts";

/** How often a ground, and those that are forked from it, was asked or changed; each node of several counts. */
export interface Work {
  nodes: number;
}

/** A ground that counts that. */
export class CountedGround extends Ground {
  readonly #work: Work;

  constructor(origin: Ground, work: Work) {
    super(origin);
    this.#work = work;
  }

  override fork(): Ground {
    return new CountedGround(this, this.#work);
  }

  override fits(kind: Kind, node: number): number {
    this.#work.nodes++;
    return super.fits(kind, node);
  }

  override roomFor(kind: Kind, nodes?: readonly number[]): number {
    this.#work.nodes += nodes?.length ?? 1;
    return super.roomFor(kind, nodes);
  }

  override take(node: number, kind: { requests: Resources }, count: number): void {
    this.#work.nodes++;
    super.take(node, kind, count);
  }
}
