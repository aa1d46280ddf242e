import { type Figures, figuresOf } from "./figures.ts";
import type { RunRecord } from "./run_record.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** The figures of all repetitions of a work on a system. */
export interface Summary {
  system: string;
  work: string;
  runs: number;
  /** Runs that were given up. */
  stuck: number;
  seconds?: Spread;
  podsPerSecond?: Spread;
  /** The most of any run. */
  partialGangs: number;
  /** The most of any run. */
  overtakenGangs: number;
  /** CPU seconds by process, medians. */
  cpuSeconds: Record<string, number>;
  /** The same over the members that were bound, in ms. */
  cpuMsPerPod: Record<string, number>;
}

/** A summary per work and system, in the order in which they occur. */
export function summarize(runs: RunRecord[]): Summary[] {
  const byKey = Map.groupBy(runs, ({ work, system }) => `${work} ${system}`);
  return [...byKey.values()].map((same) => {
    const [{ system, work }] = same as [RunRecord];
    const figures = same.map(figuresOf);
    const seconds = spreadOf(defined(figures, "seconds"));
    const podsPerSecond = spreadOf(defined(figures, "podsPerSecond"));
    return {
      system,
      work,
      runs: same.length,
      stuck: same.filter(({ isStuck }) => isStuck).length,
      ...(seconds && { seconds }),
      ...(podsPerSecond && { podsPerSecond }),
      partialGangs: Math.max(...figures.map(({ partialGangs }) => partialGangs)),
      overtakenGangs: Math.max(...figures.map(({ overtakenGangs }) => overtakenGangs)),
      cpuSeconds: medians(same.map(({ cpuSeconds }) => cpuSeconds)),
      cpuMsPerPod: medians(figures.map(({ cpuMsPerPod }) => cpuMsPerPod)),
    };
  });
}

/** Of each name's numbers the median. */
function medians(all: Record<string, number>[]): Record<string, number> {
  return Object.fromEntries(
    Object.keys(all[0] ?? {}).map((name) => [
      name,
      spreadOf(all.map((each) => each[name] ?? 0))?.median ?? 0,
    ]),
  );
}

function defined(figures: Figures[], name: "seconds" | "podsPerSecond"): number[] {
  return figures.map((figure) => figure[name]).filter((value) => value !== undefined);
}

/** The part of all CPU time used during the runs that processes other than the benchmark's used. */
export function othersShare(runs: RunRecord[]): number {
  const used = runs.flatMap(({ cpuSeconds }) => Object.entries(cpuSeconds));
  const sum = (entries: typeof used) => entries.reduce((total, [, seconds]) => total + seconds, 0);
  return sum(used.filter(([name]) => name === "others")) / sum(used);
}
