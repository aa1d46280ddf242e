/**
 * The phase of a gang, as section F of the scenarios states it.
 *
 * @module
 */
import type { Phase } from "../../../shared/core/gang/phase.ts";
import type { GangParts } from "../../support/facts.ts";

/** Every row: the counts of a gang, and the phase that they alone give. */
export const phaseCases: readonly [id: string, given: GangParts, expect: Phase][] = [
  ["SP-ST-1 min 2, 2 running", { minMember: 2, running: 2 }, "Running"],
  ["SP-ST-2 min 2, 4 running", { minMember: 2, running: 4 }, "Running"],
  ["SP-ST-3 min 2, 2 failed", { minMember: 2, failed: 2 }, "Failed"],
  ["SP-ST-4 min 2, 2 succeeded", { minMember: 2, succeeded: 2 }, "Finished"],
  ["SP-ST-5 min 2, 2 pending pods", { minMember: 2, pending: 2 }, "Scheduling"],
  ["SP-ST-6 SP-ST-8 min 2, 3 succeeded", { minMember: 2, succeeded: 3 }, "Finished"],
  ["SP-ST-7 min 3, only 2 pods, running", { minMember: 3, running: 2 }, "Pending"],
  ["SP-ST-10 min 3, 2 pending pods", { minMember: 3, pending: 2 }, "Pending"],
  ["SP-ST-11 KO-ST-3 min 4, only 2 pods left", { minMember: 4, running: 2 }, "Pending"],
  ["SP-ST-12 min 3, 2 running, 1 succeeded", {
    minMember: 3,
    running: 2,
    succeeded: 1,
  }, "Running"],
  ["SP-ST-13 min 3, 2 running, 1 failed", { minMember: 3, running: 2, failed: 1 }, "Failed"],
  ["SP-ST-14 min 3, 3 succeeded", { minMember: 3, succeeded: 3 }, "Finished"],
  ["min 3, 3 running, and one that failed before", {
    minMember: 3,
    running: 3,
    failed: 1,
  }, "Running"],
  ["min 3, 2 running, 1 pending for one that failed", {
    minMember: 3,
    running: 2,
    pending: 1,
    failed: 1,
  }, "Scheduling"],
  ["min 3, 3 pending for 3 that failed", { minMember: 3, pending: 3, failed: 3 }, "Scheduling"],
  ["min 3, 2 pending for 3 that failed", { minMember: 3, pending: 2, failed: 3 }, "Failed"],
  ["no pods", { minMember: 2 }, "Pending"],
  ["min 3, 1 running, 1 succeeded, 1 failed", {
    minMember: 3,
    running: 1,
    succeeded: 1,
    failed: 1,
  }, "Failed"],
  ["min 3, 2 pending, 1 succeeded", { minMember: 3, pending: 2, succeeded: 1 }, "Scheduling"],
  ["KO-ST-1 min 2, 2 bound, none runs yet", { minMember: 2, bound: 2 }, "Scheduling"],
  ["KO-ST-2 min 4, 4 running", { minMember: 4, running: 4 }, "Running"],
  ["held members count", { minMember: 2, held: 2 }, "Scheduling"],
  ["gated members count", { minMember: 2, gated: 2 }, "Scheduling"],
  ["terminating members do not count", { minMember: 2, pending: 1, terminating: 1 }, "Pending"],
  ["one failure among too few pods", { minMember: 3, failed: 1 }, "Pending"],
  ["failures of spare members while quorum is pending", {
    minMember: 2,
    pending: 2,
    failed: 1,
  }, "Scheduling"],
];
