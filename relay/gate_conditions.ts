/**
 * What members behind Muster's gate say: the scheduler does not look at them, so their `PodScheduled` condition is the
 * relay's to write.
 *
 * @module
 */
import type { Condition } from "../shared/kubernetes/types.ts";
import type { PodRecord } from "./pod_record.ts";
import type { GangGroup } from "./gang_group.ts";
import { gatedOf } from "./gates.ts";
import { isOutdated } from "./kube_api.ts";
import type { Metrics } from "./metrics.ts";
import { told } from "./sentence.ts";

/** A gang that is let in within this time needs no sentence, in ms; nor does one whose reason changes at once. */
const quietMs = 7000;
/** Another sentence of the same reason is written so much later, in ms. */
const sameReasonMs = 30_000;
/** A gang's conditions are written by so few calls at a time, because they are in no hurry. */
const atOnce = 4;

/** What was last written for a group. */
interface Told {
  readonly reason: string;
  readonly at: number;
}

/** What conditions are written with. */
export interface ConditionsWorld {
  readonly metrics: Metrics;
  readonly setCondition: (pod: PodRecord["pod"]["metadata"], condition: Condition) => Promise<void>;
}

/** Writes the conditions of gated members. */
export class GateConditions {
  readonly #world: ConditionsWorld;
  readonly #told = new WeakMap<GangGroup, Told>();

  constructor(world: ConditionsWorld) {
    this.#world = world;
  }

  /** When a group's conditions are to be written, in ms since the epoch; Infinity: they say what is so. */
  dueAt(group: GangGroup): number {
    const { admission, rejectedSince } = group;
    if (admission?.verdict !== "reject" || rejectedSince === undefined) return Infinity;
    const condition = conditionOf(group);
    if (gatedOf(group).every((record) => says(record, condition))) return Infinity;
    const last = this.#told.get(group);
    const wait = last?.reason === admission.reason ? sameReasonMs : quietMs;
    return Math.max(rejectedSince + quietMs, (last?.at ?? -Infinity) + wait);
  }

  /** Writes what is due. */
  tell(group: GangGroup): void {
    const now = Date.now();
    if (now < this.dueAt(group)) return;
    this.#told.set(group, { reason: group.admission!.reason, at: now });
    const condition = conditionOf(group);
    const records = gatedOf(group).filter((record) => !says(record, condition));
    for (let worker = 0; worker < atOnce; worker++) void this.#write(records, condition);
  }

  async #write(records: PodRecord[], condition: Condition): Promise<void> {
    for (let record = records.pop(); record; record = records.pop()) {
      if (record.isUngated) continue;
      const { metadata } = record.pod;
      await this.#world.setCondition(metadata, condition).catch((error) => {
        // What has changed is looked at anew, and what is gone needs no condition.
        if (isOutdated(error)) return;
        this.#world.metrics.writeFailed(`the condition of pod ${metadata.name}`, error);
      });
    }
  }
}

/** Autoscalers act on `Unschedulable`: only a gang that is whole and lacks nothing but room says so. */
const lacksRoom: readonly string[] = [
  "InsufficientResources",
  "BehindInQueue",
  "MemberUnschedulable",
  "TimedOut",
];

function conditionOf({ admission }: GangGroup): Condition {
  const { reason, message } = admission!;
  return {
    type: "PodScheduled",
    status: "False",
    reason: lacksRoom.includes(reason) ? "Unschedulable" : "SchedulingGated",
    message: told(message),
  };
}

function says({ pod }: PodRecord, { reason, message }: Condition): boolean {
  return pod.status?.conditions?.some((condition) =>
    condition.type === "PodScheduled" && condition.reason === reason &&
    condition.message === message
  ) ?? false;
}
