/**
 * Writes what members behind Muster's gate say: the scheduler does not look at them.
 *
 * @module
 */
import type { Condition } from "../../shared/kubernetes/types.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import { isOutdated } from "../kube/kube_api.ts";
import type { Metrics } from "../report/metrics.ts";

/** A gang's conditions are written by so few calls at a time, because they are in no hurry. */
const atOnce = 4;

/** What conditions are written with. */
export interface ConditionsWorld {
  readonly metrics: Metrics;
  readonly setCondition: (pod: PodRecord["pod"]["metadata"], condition: Condition) => Promise<void>;
}

/** Writes the `PodScheduled` condition of gated members. */
export function writeConditions(
  records: readonly PodRecord[],
  { reason, message }: { reason: string; message: string },
  world: ConditionsWorld,
): void {
  const condition = { type: "PodScheduled", status: "False", reason, message } as const;
  const left = [...records];
  for (let worker = 0; worker < atOnce; worker++) void write(left, condition, world);
}

async function write(
  records: PodRecord[],
  condition: Condition,
  { metrics, setCondition }: ConditionsWorld,
): Promise<void> {
  for (let record = records.pop(); record; record = records.pop()) {
    if (record.isUngated) continue;
    const { metadata } = record.pod;
    await setCondition(metadata, condition).catch((error) => {
      // What has changed is looked at anew, and what is gone needs no condition.
      if (isOutdated(error)) return;
      metrics.writeFailed(`the condition of pod ${metadata.name}`, error);
    });
  }
}
