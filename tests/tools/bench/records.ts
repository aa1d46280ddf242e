import type { GangRecord, RunRecord } from "../../../tools/bench/run_record.ts";

/** A gang of 2 pods of 1 GPU, bound at the given times. */
export function gangRecord(
  name: string,
  boundAt: number[],
  more: Partial<GangRecord> = {},
): GangRecord {
  return {
    name,
    size: 2,
    gpus: 1,
    completedRevision: 1,
    creationTimestamp: "2026-01-01T00:00:00Z",
    boundAt,
    deletedAt: [],
    ...more,
  };
}

/** A run of 1 s on a cluster of 4 GPUs. */
export function runRecord(gangs: GangRecord[], more: Partial<RunRecord> = {}): RunRecord {
  return {
    system: "ungated",
    work: "contended",
    repetition: 1,
    gpus: 4,
    gangs,
    endedAt: 1000,
    isStuck: false,
    cpuSeconds: { muster: 2 },
    ...more,
  };
}
