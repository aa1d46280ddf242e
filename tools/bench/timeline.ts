import { gangsOf, isWhole } from "./figures.ts";
import type { RunRecord } from "./run_record.ts";

/** GPUs at one moment of a run, as means over a stretch of time; what is neither held nor running is idle. */
export interface TimelinePoint {
  /** By members of gangs that are whole. */
  running: number;
  /** By members of gangs that are not whole: bound, or, where calls were recorded, in an open bind call. */
  held: number;
}

/** Divides the time from 0 to `until` milliseconds into `count` stretches of equal length. */
export function timelineOf(
  run: RunRecord,
  { until, count }: { until: number; count: number },
): TimelinePoint[] {
  const points = Array.from({ length: count }, () => ({ running: 0, held: 0 }));
  const stretch = until / count;
  const add = (kind: keyof TimelinePoint, gpus: number, [from, to]: [number, number]) => {
    for (let index = Math.max(0, Math.floor(from / stretch)); index < count; index++) {
      const start = Math.max(from, index * stretch);
      const share = (Math.min(to, (index + 1) * stretch) - start) / stretch;
      if (share <= 0) return;
      (points[index] as TimelinePoint)[kind] += gpus * share;
    }
  };
  for (const gang of gangsOf(run)) {
    const wholeAt = isWhole(gang) ? gang.boundAt.at(-1) ?? Infinity : Infinity;
    for (const [member, at] of gang.boundAt.entries()) {
      add("held", gang.gpus, [at, wholeAt]);
      add("running", gang.gpus, [wholeAt, gang.deletedAt[member] ?? Infinity]);
    }
  }
  for (const { gpus, from, to } of run.holds ?? []) add("held", gpus, [from, to]);
  return points.map(({ running, held }) => ({
    running: Math.min(running, run.gpus),
    // A binding may be seen a moment before its call is answered.
    held: Math.min(held, run.gpus - Math.min(running, run.gpus)),
  }));
}
