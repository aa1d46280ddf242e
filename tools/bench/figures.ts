import type { GangRecord, RunRecord } from "./run_record.ts";
import { gpusOf } from "./work.ts";

/** A gang that stays partly bound for longer than this is partial: nothing made it whole at once. */
const PARTIAL_MS = 1000;

/** What a run comes to. */
export interface Figures {
  /** From the start of the clock until the last member was bound; absent where the run was given up. */
  seconds?: number;
  /** Members bound over the same time; absent where the run was given up. */
  podsPerSecond?: number;
  /** Gangs that were partly bound for more than a second, or at the end. */
  partialGangs: number;
  /** Gangs that were overtaken; see {@linkcode overtakenGangs}. */
  overtakenGangs: number;
  /** GPU-seconds that gangs which never became whole took: held, where calls were recorded, and bound. */
  lostGpuSeconds: number;
}

/** Works out the figures of a run. */
export function figuresOf(run: RunRecord): Figures {
  const pods = run.gangs.reduce((sum, { boundAt }) => sum + boundAt.length, 0);
  const seconds = run.endedAt / 1000;
  return {
    ...(run.isStuck ? {} : { seconds, podsPerSecond: pods / seconds }),
    partialGangs: gangsOf(run).filter((gang) => isPartial(gang, run.endedAt)).length,
    overtakenGangs: overtakenGangs(run.gangs),
    lostGpuSeconds: lostGpuSeconds(run),
  };
}

/** Whether all members were bound. */
export function isWhole(gang: GangRecord): boolean {
  return gang.boundAt.length === gang.size;
}

/** The gangs of a run, the impossible one first. */
export function gangsOf(run: RunRecord): GangRecord[] {
  return run.impossible ? [run.impossible, ...run.gangs] : run.gangs;
}

/**
 * Counts the gangs that saw another bound before them although that one came after them in key order (priority, creation in whole
 * seconds, name), was complete later, and needed at least as much room.
 */
export function overtakenGangs(gangs: GangRecord[]): number {
  return gangs.filter((gang) =>
    gangs.some((other) =>
      comesAfter(other, gang) && other.createdAt > gang.createdAt &&
      gpusOf(other) >= gpusOf(gang) && firstBound(other) < firstBound(gang)
    )
  ).length;
}

function comesAfter(other: GangRecord, gang: GangRecord): boolean {
  const high = (at: GangRecord) => at.priority === "bench-high";
  if (high(other) !== high(gang)) return high(gang);
  if (other.creationTimestamp !== gang.creationTimestamp) {
    return other.creationTimestamp > gang.creationTimestamp;
  }
  return other.name > gang.name;
}

function firstBound({ boundAt }: GangRecord): number {
  return boundAt[0] ?? Infinity;
}

function isPartial(gang: GangRecord, endedAt: number): boolean {
  const first = gang.boundAt[0];
  if (first === undefined) return false;
  if (!isWhole(gang)) return true;
  return (gang.boundAt.at(-1) ?? endedAt) - first > PARTIAL_MS;
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
