/**
 * What is said of a gang group, or of a pod without a gang, in a simulation.
 *
 * @module
 */
import type { PlannedPlace } from "../../../shared/cluster/planned_places.ts";
import type { PodRecord } from "../../../shared/cluster/pod_record.ts";
import type { StartEstimate } from "../../../shared/core/gang/gang_times.ts";
import { gangId, type Group } from "../../../shared/core/gang/facts.ts";
import { missing } from "../../../shared/core/gang/quorum.ts";
import type { RunTime } from "../../../shared/core/gang/run_time.ts";
import type { Settings } from "../../../shared/core/gang/settings.ts";
import { mismatch } from "../../../shared/core/stage/gang_obstacle.ts";
import { quoted } from "../../../shared/core/words/text.ts";
import { title } from "../../../shared/core/words/why_pending.ts";
import { memberClassOf } from "../../../shared/kubernetes/counting/census.ts";

/** What would become of a gang group, or of a pod without a gang. */
export interface Verdict {
  /** `gang ns/a`, `gang group ns/a, ns/b`, or `pod ns/p`. */
  readonly title: string;
  /** `namespace/name` of its gangs; none for a pod without a gang. */
  readonly gangs: readonly string[];
  /** Whether its quorum finds nodes. */
  readonly starts: boolean;
  /** Place among those that start, from 1 on. */
  readonly order?: number;
  readonly reason: string;
  readonly message: string;
  /** When it would start, where it waits for what runs to end. */
  readonly estimate?: StartEstimate;
  /** How long it runs, where that is known. */
  readonly runTime?: RunTime;
  /** None of its pods is Muster's to place: it has no part in the queue. */
  readonly isForeign?: true;
  /** Where its pods could go: nodes by `namespace/name` of the pod. */
  readonly nodes: Readonly<Record<string, string>>;
  /** Those that hold its members where it declares a topology: `rack r1`. */
  readonly domains?: readonly string[];
  /** Pods, by `namespace/name`, that would be evicted for it. */
  readonly evicts: readonly string[];
  /** Why gangs wait that it starts without. */
  readonly leftOut?: readonly string[];
  /** What is declared otherwise than it is used. */
  readonly warnings?: readonly string[];
  /** It is Muster's to place only where admission names Muster's scheduler for its pods. */
  readonly namesNoScheduler?: true;
  /** Constraints of its pods that are not modelled: the scheduler may find no node where this verdict names one. */
  readonly notModelled: readonly string[];
}

/** A verdict, where its pods go, and who leaves for them. */
export interface Found {
  readonly verdict: Verdict;
  readonly placed: readonly PlannedPlace[];
  readonly victims: readonly PodRecord[];
}

const none = { starts: false, nodes: {}, evicts: [] };

/** What does not start, and why. */
export function waiting(
  found: Pick<Verdict, "title" | "gangs" | "notModelled">,
  why: Pick<Verdict, "reason" | "message" | "estimate">,
): Found {
  return { verdict: { ...found, ...none, ...why }, placed: [], victims: [] };
}

/** Where pods go, and who leaves for them, by `namespace/name`. */
export function namesOf(
  { placed, victims }: { placed: readonly PlannedPlace[]; victims: readonly PodRecord[] },
): { nodes: Record<string, string>; evicts: string[] } {
  return {
    nodes: Object.fromEntries(placed.map(({ record, node }) => [nameOf(record), node])),
    evicts: victims.map(nameOf),
  };
}

/** What is said of a group that other schedulers place; nothing where it lacks no member. */
export function foreignVerdict(facts: Group, settings: Settings): Verdict[] {
  const [why] = facts.gangs.flatMap((gang) => mismatch(gang, missing(gang, settings)) ?? []);
  if (!why) return [];
  const { reason, message } = why;
  const gangs = facts.gangs.map(({ gang }) => gangId(gang));
  const found = { title: title(facts), gangs, notModelled: [] };
  return [{ ...found, ...none, reason, message, isForeign: true }];
}

/** What is said of a pod without a gang that waits for another scheduler. */
export function foreignPodVerdict(record: PodRecord): Verdict[] {
  const { gang, foreign } = record;
  if (gang !== undefined || !foreign || memberClassOf(record) !== "foreign") return [];
  const title = `pod ${nameOf(record)}`;
  const message = `${title} of scheduler ${quoted(foreign.scheduler)} is not Muster's to place, ` +
    `so create it anew with spec.schedulerName "${foreign.served.join('" or "')}"`;
  const found = { title, gangs: [], notModelled: [] };
  return [{ ...found, ...none, reason: "SchedulerMismatch", message, isForeign: true }];
}

/** `namespace/name` of a pod. */
export function nameOf({ pod }: PodRecord): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}
