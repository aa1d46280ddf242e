/**
 * What members behind Muster's gate say: the scheduler does not look at them, so their `PodScheduled` condition is the
 * relay's to write, and so are events, which `kubectl describe` shows.
 *
 * @module
 */
import { speaksAt, type Spoken, spoken } from "../shared/core/telling.ts";
import { goesOnByItself } from "../shared/core/why_pending.ts";
import type { Condition } from "../shared/kubernetes/types.ts";
import type { PodRecord } from "./pod_record.ts";
import type { GangGroup } from "./gang_group.ts";
import type { Words } from "./events.ts";
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
  /** Says something about a pod, as an event. */
  readonly say: (pod: PodRecord["pod"], words: Words) => void;
}

/** Writes the conditions of gated members, and an event about each when the reason is another one. */
export class GateConditions {
  readonly #world: ConditionsWorld;
  readonly #told = new WeakMap<GangGroup, Told>();
  readonly #spoken = new WeakMap<GangGroup, Spoken>();
  /** The reason of the last event about each member. */
  readonly #reasons = new WeakMap<PodRecord, string>();

  constructor(world: ConditionsWorld) {
    this.#world = world;
  }

  /** When something is to be written about a group's members, in ms since the epoch; Infinity: they say what is so. */
  dueAt(group: GangGroup): number {
    const { admission, rejectedSince } = group;
    if (admission?.verdict !== "reject" || rejectedSince === undefined) return Infinity;
    const soonest = rejectedSince + quietMs;
    return Math.max(soonest, Math.min(this.#conditionsDueAt(group), this.#eventsDueAt(group)));
  }

  /** Writes what is due. */
  tell(group: GangGroup): void {
    const now = Date.now();
    if (now < this.dueAt(group)) return;
    if (now >= this.#eventsDueAt(group)) this.#say(group, now);
    if (now >= this.#conditionsDueAt(group)) this.#writeAll(group, now);
  }

  #conditionsDueAt(group: GangGroup): number {
    const condition = conditionOf(group);
    if (gatedOf(group).every((record) => says(record, condition))) return Infinity;
    const last = this.#told.get(group);
    const wait = last?.reason === group.admission!.reason ? sameReasonMs : quietMs;
    return (last?.at ?? -Infinity) + wait;
  }

  #eventsDueAt(group: GangGroup): number {
    const { reason } = group.admission!;
    return this.#unaware(group).length > 0 ? speaksAt(this.#spoken.get(group), reason) : Infinity;
  }

  /** Members of which no event says the reason; what is wrong with a declaration is said elsewhere, in more words. */
  #unaware(group: GangGroup): PodRecord[] {
    const { reason } = group.admission!;
    if (reason === "InvalidGang") return [];
    const condition = conditionOf(group);
    return gatedOf(group).filter((record) => {
      const known = this.#reasons.get(record);
      // An earlier relay has said so.
      return known === undefined ? !says(record, condition) : known !== reason;
    });
  }

  #say(group: GangGroup, now: number): void {
    const { reason, message } = group.admission!;
    const type = goesOnByItself(reason) ? "Normal" : "Warning";
    for (const record of this.#unaware(group)) {
      this.#reasons.set(record, reason);
      this.#world.say(record.pod, { type, reason, message, at: now });
    }
    this.#spoken.set(group, spoken(this.#spoken.get(group), { reason, now }));
  }

  #writeAll(group: GangGroup, now: number): void {
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
