/** What the benchmark asks of a scheduler. */

/** GPUs of every node. */
export const GPUS_PER_NODE = 8;

/** Nodes with one value of the label `rack`. */
export const NODES_PER_RACK = 16;

/** The node label in whose domains a gang is to be, or should be. */
export type Topology = { required: string } | { preferred: string };

/** Pods that must start together. */
export interface Gang {
  name: string;
  size: number;
  /** `nvidia.com/gpu` of each member. */
  gpus: number;
  /** Name of its PriorityClass; absent: none. */
  priority?: keyof typeof priorities;
  /** Absent: it may run anywhere. */
  topology?: Topology;
}

/** Gangs for a cluster, in the order of their creation. */
export interface Work {
  name: string;
  /** One sentence for the report. */
  description: string;
  nodes: number;
  gangs: Gang[];
  /** Created before the clock starts; it needs more than the whole cluster has. */
  impossible?: Gang;
  /** How long a gang runs once it is whole, in milliseconds; absent: until the end. */
  holdMs?: number;
}

/** Values of the PriorityClasses. They order the queue and evict nobody, so that every system has the same work to do. */
export const priorities = { "bench-high": 1000, "bench-low": 10 } as const;

const mixedSizes = [1, 8, 2, 16, 4, 32, 1, 64, 8, 2, 4, 8, 1, 16, 4, 2];

const contended: Work = {
  name: "contended",
  description:
    "25 nodes of 8 GPUs, 100 gangs of 8 pods of 1 GPU; a gang ends 1 s after it is whole",
  nodes: 25,
  gangs: equalGangs("contended"),
  holdMs: 1000,
};

const long: Work = {
  ...contended,
  name: "long",
  description: "the same, but a gang ends 10 s after it is whole",
  gangs: equalGangs("long"),
  holdMs: 10_000,
};

const free: Work = {
  name: "free",
  description: "100 nodes of 8 GPUs, 100 gangs of 8 pods of 1 GPU: room for all",
  nodes: 100,
  gangs: equalGangs("free"),
};

const thousand: Work = {
  name: "thousand",
  description: "1,000 nodes of 8 GPUs, 1,000 gangs of 8 pods of 1 GPU: room for all",
  nodes: 1000,
  gangs: equalGangs("thousand", 1000),
};

const wide: Work = {
  name: "wide",
  description: "5,000 nodes of 8 GPUs, 125 gangs of 8 pods of 1 GPU: room for all",
  nodes: 5000,
  gangs: equalGangs("wide", 125),
};

const huge: Work = {
  name: "huge",
  description: "5,000 nodes of 8 GPUs, one gang of 1,000 pods of 1 GPU: room for all",
  nodes: 5000,
  gangs: [{ name: "huge", size: 1000, gpus: 1 }],
};

/** What every system does first, so that nothing is measured cold: some gangs that queue for room. */
export const warmUpWork: Work = {
  name: "warm-up",
  description: "5 nodes, 20 gangs of 8 pods of 1 GPU; a gang ends 0.1 s after it is whole",
  nodes: 5,
  gangs: equalGangs("warm-up").slice(0, 20),
  holdMs: 100,
};

/** The works by the name that `--work` takes, in the order in which they are run: the cluster only grows. */
export const works: Record<string, Work> = {
  contended,
  long,
  mix: mixed("mix"),
  "mix-impossible": {
    ...mixed("mix-impossible"),
    description: "the same behind a gang of high priority that needs 512 GPUs",
    impossible: { name: "impossible", size: 64, gpus: 8, priority: "bench-high" },
  },
  free,
  thousand,
  wide,
  huge,
};

/** GPUs that all members of a gang take. */
export function gpusOf(gang: Gang): number {
  return gang.size * gang.gpus;
}

/**
 * Seconds until the last gang starts where scheduling takes no time: the work's GPU-seconds over the cluster's GPUs, without
 * those of the last. Undefined where gangs run until the end.
 */
export function idealSeconds(work: Work): number | undefined {
  if (work.holdMs === undefined) return undefined;
  const gpus = work.gangs.reduce((sum, gang) => sum + gpusOf(gang), 0);
  return (gpus / (work.nodes * GPUS_PER_NODE) - 1) * work.holdMs / 1000;
}

function equalGangs(prefix: string, count = 100): Gang[] {
  return Array.from({ length: count }, (_, index) => ({
    name: nameOf(prefix, index),
    size: 8,
    gpus: 1,
  }));
}

function mixed(name: string): Work {
  const gangs = Array.from({ length: 64 }, (_, index): Gang => ({
    name: nameOf(name, index),
    size: mixedSizes[index % mixedSizes.length] ?? 1,
    gpus: 1,
    // Sizes come round every 16 gangs; a step of 3 gives every size both priorities.
    priority: index % 3 === 0 ? "bench-high" : "bench-low",
  }));
  return {
    name,
    description:
      "25 nodes of 8 GPUs, 64 gangs of 1 to 64 pods of 1 GPU in two priorities; a gang ends 1 s after it is whole",
    nodes: 25,
    gangs,
    holdMs: 1000,
  };
}

/** Sorted by name, gangs are in the order of their creation. */
function nameOf(prefix: string, index: number): string {
  return `${prefix}-${String(index).padStart(3, "0")}`;
}
