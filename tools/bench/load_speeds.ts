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
  /** CPU ms a pod by process, over all rounds. */
  byProcess: Record<keyof SpeedClusters, Record<string, number>>;
  /** CPU seconds a second of the cluster with the queue when it has settled, and after how many seconds that was. */
  standing: number;
  settledAfter: number;
}

/** Two clusters that differ in what queues only. */
export interface SpeedClusters {
  alone: RunningSystem;
  beside: RunningSystem;
}

const regularPods = 500;
const standingMs = 10_000;
/** Below so many CPU seconds a second the members that wait have been told why, and nothing but that they wait is left. */
const settled = 0.3;
const longestSettlingMs = 300_000;

/** Binds regular pods on either cluster in turn, so that whatever else the machine does hits both alike. */
export async function compareSpeeds(
  clusters: SpeedClusters,
  { rounds, onProgress }: { rounds: number; onProgress: (line: string) => void },
): Promise<SpeedFigures> {
  const found: Record<keyof SpeedClusters, Speed[]> = { alone: [], beside: [] };
  for (const which of ["alone", "beside"] as const) await speed(clusters[which], "warm");
  const { standing, settledAfter } = await settle(clusters.beside, onProgress);
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
  return {
    alone: alone!,
    beside: beside!,
    ratio: spreadOf(beside!.map((value, round) => value / alone![round]!))!,
    aloneCpuMs: aloneCpuMs!,
    besideCpuMs: besideCpuMs!,
    cpuRatio: sum(aloneCpuMs!) / sum(besideCpuMs!),
    standing,
    settledAfter,
    byProcess: { alone: meansOf(found.alone), beside: meansOf(found.beside) },
  };
}

interface Speed {
  perSecond: number;
  cpuMs: number;
  byProcess: Record<string, number>;
}

function meansOf(speeds: readonly Speed[]): Record<string, number> {
  const names = Object.keys(speeds[0]?.byProcess ?? {});
  return Object.fromEntries(
    names.map((name) => [name, sum(speeds.map((one) => one.byProcess[name]!)) / speeds.length]),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function told({ perSecond, cpuMs }: Speed): string {
  return `${perSecond.toFixed(1)} pods/s (${cpuMs.toFixed(1)} CPU ms a pod)`;
}

/** Regular pods bound per second, which are deleted again. */
async function speed(running: RunningSystem, name: string): Promise<Speed> {
  const pods = { name: `regular-${name}`, size: regularPods, gpus: 1 };
  const before = await clusterCpuSeconds(running);
  const seconds = await bindPods(running.client, pods, { isNone: true });
  const after = await clusterCpuSeconds(running);
  await deletePods(running.client, pods);
  const byProcess = Object.fromEntries(
    Object.entries(after).map((
      [name, used],
    ) => [name, (used - before[name]!) * 1000 / regularPods]),
  );
  return { perSecond: regularPods / seconds, cpuMs: sum(Object.values(byProcess)), byProcess };
}

async function settle(
  running: RunningSystem,
  onProgress: (line: string) => void,
): Promise<{ standing: number; settledAfter: number }> {
  const from = performance.now();
  while (true) {
    const standing = await standingOf(running);
    const elapsed = performance.now() - from;
    onProgress(`the queue alone takes ${standing.toFixed(2)} CPU s a second`);
    if (standing < settled || elapsed > longestSettlingMs) {
      return { standing, settledAfter: elapsed / 1000 };
    }
  }
}

async function standingOf(running: RunningSystem): Promise<number> {
  const before = sum(Object.values(await clusterCpuSeconds(running)));
  await new Promise((resolve) => setTimeout(resolve, standingMs));
  const after = sum(Object.values(await clusterCpuSeconds(running)));
  return (after - before) / (standingMs / 1000);
}

async function clusterCpuSeconds(running: RunningSystem): Promise<Record<string, number>> {
  const { bench: _, others: __, ...own } = await running.cpuSeconds();
  return own;
}
