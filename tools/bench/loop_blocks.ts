import type { HeapSize, LoopGap } from "./loop_watch.ts";

/** What blocked an event loop for a while. */
export interface LoopBlocks {
  /** Ms of the longest, each by itself: on the clock, without what the loop's thread waited for a CPU, and on the CPU. */
  longestWallMs: number;
  longestOwnMs: number;
  longestCpuMs: number;
  /** How many were longer than 50 ms, each by itself. */
  over50Wall: number;
  over50Own: number;
  over50Cpu: number;
}

/** A part of the time that an event loop was watched. */
export interface Part {
  name: string;
  /** When it began, in milliseconds since the epoch; it ends with the next one. */
  from: number;
}

/** What a loop watch has written. */
export function readLoopWatch(text: string): { gaps: LoopGap[]; heaps: HeapSize[] } {
  const lines = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  return {
    gaps: lines.filter((line) => "cpuMs" in line),
    heaps: lines.filter((line) => "heapMebibytes" in line),
  };
}

/** What blocked the loop in each part. */
export function blocksOf(
  gaps: readonly LoopGap[],
  parts: readonly Part[],
): Record<string, LoopBlocks> {
  return Object.fromEntries(parts.map(({ name, from }, index) => {
    const to = parts[index + 1]?.from ?? Infinity;
    const own = gaps.filter(({ at }) => at >= from && at < to);
    const longest = (of: (gap: LoopGap) => number) => Math.max(0, ...own.map(of));
    const over50 = (of: (gap: LoopGap) => number) => own.filter((gap) => of(gap) > 50).length;
    const wall = ({ wallMs }: LoopGap) => wallMs;
    const withoutWaiting = ({ wallMs, waitedMs }: LoopGap) => wallMs - waitedMs;
    const cpu = ({ cpuMs }: LoopGap) => cpuMs;
    return [name, {
      longestWallMs: longest(wall),
      longestOwnMs: longest(withoutWaiting),
      longestCpuMs: longest(cpu),
      over50Wall: over50(wall),
      over50Own: over50(withoutWaiting),
      over50Cpu: over50(cpu),
    }];
  }));
}
