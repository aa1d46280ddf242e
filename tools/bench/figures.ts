import type { GangRecord, RunRecord } from "./run_record.ts";
import { gpusOf } from "./work.ts";

/** What a run comes to. */
export interface Figures {
  /** From the start of the clock until the last member was bound; absent where the run was given up. */
  seconds?: number;
  /** Members bound over the same time; absent where the run was given up. */
  podsPerSecond?: number;
  /** CPU time by process over the members that were bound, in ms. */
  cpuMsPerPod: Record<string, number>;
  /** See {@linkcode partialGangs}. */
  partialGangs: number;
  /** See {@linkcode overtakenGangs}. */
  overtakenGangs: number;
  /** GPU-seconds that gangs which never became whole took: bound and, where calls were recorded, held. */
  lostGpuSeconds: number;
}

/** Works out the figures of a run. */
export function figuresOf(run: RunRecord): Figures {
  const pods = run.gangs.reduce((sum, { boundAt }) => sum + boundAt.length, 0);
  const seconds = run.endedAt / 1000;
  return {
    ...(run.isStuck ? {} : { seconds, podsPerSecond: pods / seconds }),
    cpuMsPerPod: Object.fromEntries(
      Object.entries(run.cpuSeconds).map(([name, used]) => [name, used * 1000 / pods]),
    ),
    partialGangs: partialGangs(run).length,
    overtakenGangs: overtakenGangs(run).length,
    lostGpuSeconds: lostGpuSeconds(run),
  };
}

/** The gangs of a run, the impossible one first. */
export function gangsOf(run: RunRecord): GangRecord[] {
  return run.impossible ? [run.impossible, ...run.gangs] : run.gangs;
}

/** Whether all members were bound. */
export function isWhole(gang: GangRecord): boolean {
  return gang.boundAt.length === gang.size;
}

/**
 * The gangs that were bound in part at the end, or while every GPU of the cluster was bound: these had to wait for others to
 * end. A gang that is bound as one is bound in part only for a moment, in which its last members' room is still free.
 */
export function partialGangs(run: RunRecord): GangRecord[] {
  const steps = gangsOf(run).flatMap((gang) => [
    ...gang.boundAt.map((at) => ({ at, gang, bound: 1 })),
    ...gang.deletedAt.map((at) => ({ at, gang, bound: -1 })),
  ]);
  const bound = new Map<GangRecord, number>();
  const partial = new Set<GangRecord>();
  let taken = 0;
  for (const step of steps.sort((a, b) => a.at - b.at || a.bound - b.bound)) {
    taken += step.bound * step.gang.gpus;
    // Members that are deleted were bound: their gang was whole.
    if (step.bound > 0) bound.set(step.gang, (bound.get(step.gang) ?? 0) + 1);
    if (taken < run.gpus) continue;
    for (const [gang, count] of bound) if (count < gang.size) partial.add(gang);
  }
  for (const [gang, count] of bound) if (count < gang.size) partial.add(gang);
  return [...partial];
}

/**
 * The gangs before which another was whole although there was no room for both and that one came after them in key order
 * (priority, creation in whole seconds, name), was complete later, and took at least as much room.
 */
export function overtakenGangs(run: RunRecord): GangRecord[] {
  // The pairs of 1,000 gangs are many.
  if (gangsOf(run).reduce((sum, gang) => sum + gpusOf(gang), 0) <= run.gpus) return [];
  return run.gangs.filter((gang) =>
    run.gangs.some((other) =>
      comesAfter(other, gang) && other.completedRevision > gang.completedRevision &&
      isWhole(other) && gpusOf(other) >= gpusOf(gang) && lastBound(other) < firstBound(gang) &&
      freeBefore(firstBound(other), run) < gpusOf(gang) + gpusOf(other)
    )
  );
}

function comesAfter(other: GangRecord, gang: GangRecord): boolean {
  const isHigh = (at: GangRecord) => at.priority === "bench-high";
  if (isHigh(other) !== isHigh(gang)) return isHigh(gang);
  if (other.creationTimestamp !== gang.creationTimestamp) {
    return other.creationTimestamp > gang.creationTimestamp;
  }
  return other.name > gang.name;
}

function firstBound({ boundAt }: GangRecord): number {
  return boundAt[0] ?? Infinity;
}

function lastBound({ boundAt }: GangRecord): number {
  return boundAt.at(-1) ?? Infinity;
}

function freeBefore(time: number, run: RunRecord): number {
  return gangsOf(run).reduce((free, { gpus, boundAt, deletedAt }) => {
    const bound = boundAt.filter((at) => at < time).length;
    const deleted = deletedAt.filter((at) => at <= time).length;
    return free - gpus * (bound - deleted);
  }, run.gpus);
}

function lostGpuSeconds(run: RunRecord): number {
  const lost = gangsOf(run).filter((gang) => !isWhole(gang));
  const names = new Set(lost.map(({ name }) => name));
  const bound = lost.flatMap(({ boundAt, gpus }) =>
    boundAt.map((from) => gpus * (run.endedAt - from))
  );
  const held = (run.holds ?? []).filter(({ gang }) => names.has(gang))
    .map(({ gpus, from, to }) => gpus * (to - from));
  return [...bound, ...held].reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
}
