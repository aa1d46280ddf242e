import { bindPods, deletePods } from "./load_pods.ts";
import { type Spread, spreadOf } from "./spread.ts";
import type { RunningSystem } from "./systems.ts";

/** How regular pods did on a cluster without gangs that queue and on one with them. */
export interface SpeedFigures {
  /** Bound per second, in each round. */
  alone: number[];
  beside: number[];
  /** The latter over the former, of each round. */
  ratio: Spread;
  /** CPU ms a pod of all processes of the cluster, in each round, and their means' ratio, the former over the latter. */
  aloneCpuMs: number[];
  besideCpuMs: number[];
  cpuRatio: number;
  /** CPU seconds a second of the cluster with the queue while nothing else happens on it. */
  standing: number;
}

/** Two clusters that differ in what queues only. */
export interface SpeedClusters {
  alone: RunningSystem;
  beside: RunningSystem;
}

const regularPods = 500;
const standingMs = 10_000;

/** Binds regular pods on either cluster in turn, so that whatever else the machine does hits both alike. */
export async function compareSpeeds(
  clusters: SpeedClusters,
  { rounds, onProgress }: { rounds: number; onProgress: (line: string) => void },
): Promise<SpeedFigures> {
  const found: Record<keyof SpeedClusters, Speed[]> = { alone: [], beside: [] };
  for (const which of ["alone", "beside"] as const) await speed(clusters[which], "warm");
  const standing = await standingOf(clusters.beside);
  for (let round = 0; round < rounds; round++) {
    const order: (keyof SpeedClusters)[] = ["alone", "beside"];
    if (round % 2 === 1) order.reverse();
    for (const which of order) found[which].push(await speed(clusters[which], `${round}`));
    const [alone, beside] = [found.alone.at(-1)!, found.beside.at(-1)!];
    onProgress(
      `round ${round + 1}: ${told(alone)} alone, ${told(beside)} beside the queue`,
    );
  }
  const [alone, beside] = [found.alone, found.beside].map((runs) =>
    runs.map(({ perSecond }) => perSecond)
  );
  const [aloneCpuMs, besideCpuMs] = [found.alone, found.beside].map((runs) =>
    runs.map(({ cpuMs }) => cpuMs)
  );
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    alone: alone!,
    beside: beside!,
    ratio: spreadOf(beside!.map((value, round) => value / alone![round]!))!,
    aloneCpuMs: aloneCpuMs!,
    besideCpuMs: besideCpuMs!,
    cpuRatio: sum(aloneCpuMs!) / sum(besideCpuMs!),
    standing,
  };
}

interface Speed {
  perSecond: number;
  cpuMs: number;
}

function told({ perSecond, cpuMs }: Speed): string {
  return `${perSecond.toFixed(1)} pods/s (${cpuMs.toFixed(1)} CPU ms a pod)`;
}

/** Regular pods bound per second, which are deleted again. */
async function speed(running: RunningSystem, name: string): Promise<Speed> {
  const pods = { name: `regular-${name}`, size: regularPods, gpus: 1 };
  const before = await clusterCpuSeconds(running);
  const seconds = await bindPods(running.client, pods, { isNone: true });
  const used = await clusterCpuSeconds(running) - before;
  await deletePods(running.client, pods);
  return { perSecond: regularPods / seconds, cpuMs: used * 1000 / regularPods };
}

async function standingOf(running: RunningSystem): Promise<number> {
  const before = await clusterCpuSeconds(running);
  await new Promise((resolve) => setTimeout(resolve, standingMs));
  return (await clusterCpuSeconds(running) - before) / (standingMs / 1000);
}

async function clusterCpuSeconds(running: RunningSystem): Promise<number> {
  const { bench: _, others: __, ...own } = await running.cpuSeconds();
  return Object.values(own).reduce((sum, seconds) => sum + seconds, 0);
}
