/**
 * What the relay's parts share.
 *
 * @module
 */
import type { Cluster, PodRecord } from "./cluster.ts";
import type { Refusal } from "./gang_group.ts";
import type { Subject } from "./events.ts";
import type { Hold, Holds } from "./holds.ts";
import type { Metrics } from "./metrics.ts";
import type { PolicyClient } from "./policy_client.ts";

/** The relay's copy of the cluster, its open calls, and the ways out of it. */
export interface World {
  readonly relayId: string;
  readonly cluster: Cluster;
  readonly holds: Holds;
  readonly policy: PolicyClient;
  readonly metrics: Metrics;
  /** Writes a binding. */
  readonly bind: (pod: Hold["pod"]) => Promise<void>;
  /** Wakes a member in the scheduler's queue. */
  readonly poke: (pod: Refusal["pod"]) => void;
  /** Annotates a member as parked (S3). */
  readonly park: (record: PodRecord) => void;
  /** Says something about a pod or a PodGroup. */
  readonly warn: (about: Subject, reason: string, message: string) => void;
  /** Names that the scheduler beside the relay answers to. */
  readonly schedulerNames: readonly string[];
  /** Longest time that a call may be held, in ms. */
  readonly longestHoldMs: number;
}
