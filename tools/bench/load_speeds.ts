import { bindPods, deletePods } from "./load_pods.ts";
import type { RunningSystem } from "./systems.ts";
import { sleep } from "../sleep.ts";

/** How regular pods did on a cluster without gangs that queue and on one with them, in each round. */
export interface SpeedFigures {
  alone: Speed[];
  beside: Speed[];
  settled: Settled;
}

/** Pods bound per second, and CPU ms a pod by process of the cluster. */
export interface Speed {
  perSecond: number;
  cpuMs: Record<string, number>;
}

/** CPU seconds a second of the cluster with the queue while nothing else happens on it, and after how many seconds it is no more. */
export interface Settled {
  standing: number;
  afterSeconds: number;
}

/** Two clusters that differ in what queues only. */
export interface SpeedClusters {
  alone: RunningSystem;
  beside: RunningSystem;
}

const regularPods = 500;
const standingMs = 10_000;
/** Below so many CPU seconds a second the members that wait have been told why, and nothing but that they wait is left. */
const restingCpus = 0.3;
const longestSettlingMs = 300_000;

/** Binds regular pods on either cluster in turn, so that whatever else the machine does hits both alike. */
export async function compareSpeeds(
  clusters: SpeedClusters,
  { rounds, onProgress }: { rounds: number; onProgress: (line: string) => void },
): Promise<SpeedFigures> {
  const found: Record<keyof SpeedClusters, Speed[]> = { alone: [], beside: [] };
  for (const which of ["alone", "beside"] as const) await speed(clusters[which], "warm");
  const settled = await settle(clusters.beside, onProgress);
  for (let round = 0; round < rounds; round++) {
    const order: (keyof SpeedClusters)[] = ["alone", "beside"];
    if (round % 2 === 1) order.reverse();
    for (const which of order) found[which].push(await speed(clusters[which], `${round}`));
    const [alone, beside] = [found.alone.at(-1)!, found.beside.at(-1)!];
    onProgress(
      `round ${round + 1}: ${told(alone)} alone, ${told(beside)} beside the queue`,
    );
  }
  return { ...found, settled };
}

/** CPU ms a pod of all processes of the cluster. */
export function cpuMsOf({ cpuMs }: Speed): number {
  return sum(Object.values(cpuMs));
}

function told(speed: Speed): string {
  return `${speed.perSecond.toFixed(1)} pods/s (${cpuMsOf(speed).toFixed(1)} CPU ms a pod)`;
}

/** Regular pods bound per second, which are deleted again. */
async function speed(running: RunningSystem, name: string): Promise<Speed> {
  const pods = { name: `regular-${name}`, size: regularPods, gpus: 1 };
  const before = await cpuSecondsOf(running);
  const seconds = await bindPods(running.client, pods, { isNone: true });
  const after = await cpuSecondsOf(running);
  await deletePods(running.client, pods);
  const msOf = (process: string) => (after[process]! - before[process]!) * 1000 / regularPods;
  const cpuMs = Object.fromEntries(Object.keys(after).map((process) => [process, msOf(process)]));
  return { perSecond: regularPods / seconds, cpuMs };
}

async function settle(
  running: RunningSystem,
  onProgress: (line: string) => void,
): Promise<Settled> {
  const from = performance.now();
  while (true) {
    const standing = await standingOf(running);
    const elapsedMs = performance.now() - from;
    onProgress(`the queue alone takes ${standing.toFixed(2)} CPU s a second`);
    if (standing < restingCpus || elapsedMs > longestSettlingMs) {
      return { standing, afterSeconds: elapsedMs / 1000 };
    }
  }
}

async function standingOf(running: RunningSystem): Promise<number> {
  const before = sum(Object.values(await cpuSecondsOf(running)));
  await sleep(standingMs);
  const after = sum(Object.values(await cpuSecondsOf(running)));
  return (after - before) / (standingMs / 1000);
}

/** CPU seconds used so far by each process of the cluster. */
async function cpuSecondsOf(running: RunningSystem): Promise<Record<string, number>> {
  const { bench: _, others: __, ...own } = await running.cpuSeconds();
  return own;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
