/**
 * What kube-scheduler does where it knows no gangs: pod by pod, each to the node with the largest share left (LeastAllocated).
 *
 * @module
 */
import { inQueueOrder, type Placer, type Start } from "../../../cli/replay_trace/placer.ts";
import type { Job, TraceNode } from "../../../cli/replay_trace/trace_files.ts";

/** A model of it, for GPUs alone. */
export class Spreading implements Placer {
  readonly #free: Map<TraceNode, number>;
  readonly #waiting = new Set<Job>();
  readonly #placed = new Map<Job, TraceNode[]>();

  constructor(nodes: readonly TraceNode[]) {
    this.#free = new Map(nodes.map((node) => [node, node.gpus]));
  }

  came(job: Job): void {
    this.#waiting.add(job);
    this.#placed.set(job, []);
  }

  ended(job: Job): void {
    for (const node of this.#placed.get(job) ?? []) this.#take(node, -job.gpus);
    this.#placed.delete(job);
  }

  place(): Start[] {
    return inQueueOrder(this.#waiting).flatMap((job) => {
      const nodes = this.#placed.get(job)!;
      while (nodes.length < job.members) {
        const node = this.#emptiest(job.gpus);
        if (!node) return [];
        this.#take(node, job.gpus);
        nodes.push(node);
      }
      this.#waiting.delete(job);
      return [{ job, nodes }];
    });
  }

  get held(): number {
    return [...this.#waiting].reduce(
      (sum, job) => sum + job.gpus * this.#placed.get(job)!.length,
      0,
    );
  }

  #emptiest(gpus: number): TraceNode | undefined {
    let best: TraceNode | undefined;
    let most = -1;
    for (const [node, free] of this.#free) {
      const share = (free - gpus) / node.gpus;
      if (free < gpus || share <= most) continue;
      [best, most] = [node, share];
    }
    return best;
  }

  #take(node: TraceNode, gpus: number): void {
    this.#free.set(node, this.#free.get(node)! - gpus);
  }
}
