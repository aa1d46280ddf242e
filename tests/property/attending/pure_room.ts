import type { PlannedGang } from "../../../shared/core/plan/demand.ts";
import { type OwnRoom, type Room, take } from "../../../shared/core/room/fit.ts";

const gpu = "gpu";

type Candidate = PlannedGang["candidates"][number];

const candidates = new Map<number, Candidate>();

/** A member that needs a node and so many GPUs; any node will do. */
export function candidateOf(gpus: number): Candidate {
  let candidate = candidates.get(gpus);
  if (!candidate) {
    candidate = { requests: new Map([[gpu, gpus]]), kind: String(gpus), mayRunOn: () => true };
    candidates.set(gpus, candidate);
  }
  return candidate;
}

/** Of two racks, the one where a node is. */
export function rackOf(node: string): string {
  return `r${Number(node.slice(1)) % 2}`;
}

/** The GPUs of all nodes, and what of them is free: counted as it changes, as the relay does. */
export class PureRoom {
  /** As the relay has it: another object for a node whenever that changes. */
  readonly free: OwnRoom = new Map();
  /** Free GPUs as the scheduler has them, which knows first where members go. */
  readonly #assumed = new Map<string, number>();
  #capacity: Room = new Map();
  #nodes: Readonly<Record<string, never>> = {};

  /** What all nodes have; another object when one has come. */
  get capacity(): Room {
    return this.#capacity;
  }

  /** Another object when a node has come. */
  get nodes(): unknown {
    return this.#nodes;
  }

  addNode(name: string, gpus: number): void {
    const amount = new Map([[gpu, gpus]]);
    this.#capacity = new Map(this.#capacity).set(name, amount);
    this.free.set(name, amount);
    this.#assumed.set(name, gpus);
    this.#nodes = {};
  }

  /** So many GPUs are taken on another node than before, or on none, as the relay has it. */
  move(gpus: number, { from, to }: { from: string | undefined; to: string | undefined }): void {
    if (from === to) return;
    const { requests } = candidateOf(gpus);
    if (from !== undefined) take(this.free, from, { requests, sign: -1 });
    if (to !== undefined) take(this.free, to, { requests });
  }

  /** The same, as the scheduler has it. */
  assume(gpus: number, { from, to }: { from: string | undefined; to: string | undefined }): void {
    if (from === to) return;
    if (from !== undefined) this.#assumed.set(from, this.#assumed.get(from)! + gpus);
    if (to !== undefined) this.#assumed.set(to, this.#assumed.get(to)! - gpus);
  }

  /** Nodes that have so many GPUs free, as the scheduler has it. */
  assumedWith(gpus: number): string[] {
    const nodes: string[] = [];
    for (const [node, free] of this.#assumed) if (free >= gpus) nodes.push(node);
    return nodes;
  }

  /** Free GPUs by node, as the relay has it. */
  get freeGpus(): Map<string, number> {
    return new Map([...this.free].map(([node, free]) => [node, free.get(gpu)!]));
  }
}
