/**
 * Room that pods leave for members, while it is looked for who of the pods may stay.
 *
 * @module
 */
import type { Use } from "../room/fit.ts";
import type { RunningPod } from "./running.ts";

/** Nodes, and members to be placed there. */
export interface Floor {
  /** Pods take room, or, with `sign` -1, leave it. */
  readonly take: (pods: readonly RunningPod[], sign: 1 | -1) => void;
  /** Where the members find room together, all of them or none; the floor stays as it is. */
  readonly place: () => readonly Use[] | undefined;
  /** Whether members have room where they are on these nodes; set once enough was looked at for them to be placed anew. */
  readonly holds: ((taken: readonly Use[], nodes: ReadonlySet<string>) => boolean) | undefined;
}

/** A floor on which all members are placed, and the pods that leave it for that. */
export class Clearing {
  readonly #floor: Floor;
  readonly #leaving = new Set<RunningPod>();
  #taken: readonly Use[] = [];

  private constructor(floor: Floor) {
    this.#floor = floor;
  }

  /** Undefined where too little becomes free. */
  static of(floor: Floor, leaving: readonly RunningPod[]): Clearing | undefined {
    const clearing = new Clearing(floor);
    clearing.clear(leaving);
    const taken = floor.place();
    if (!taken) return undefined;
    clearing.#taken = taken;
    return clearing;
  }

  /** Those that leave. */
  get leaving(): readonly RunningPod[] {
    return [...this.#leaving];
  }

  /** Where the members have room. */
  get taken(): readonly Use[] {
    return this.#taken;
  }

  /** More pods leave. */
  clear(pods: readonly RunningPod[]): void {
    for (const pod of pods) this.#leaving.add(pod);
    this.#floor.take(pods, -1);
  }

  /** Lets pods stay if the members find room all the same; whether they do. */
  spare(pods: readonly RunningPod[]): boolean {
    this.#floor.take(pods, 1);
    const taken = this.#placeBeside(pods);
    if (!taken) {
      this.#floor.take(pods, -1);
      return false;
    }
    this.#taken = taken;
    for (const pod of pods) this.#leaving.delete(pod);
    return true;
  }

  #placeBeside(pods: readonly RunningPod[]): readonly Use[] | undefined {
    const { holds, place } = this.#floor;
    if (!holds) return place();
    return holds(this.#taken, new Set(pods.map(({ node }) => node))) ? this.#taken : undefined;
  }
}
