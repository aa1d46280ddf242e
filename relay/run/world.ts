/**
 * What the relay's parts share.
 *
 * @module
 */
import type { EffectOf } from "../../shared/core/attend/effect.ts";
import type { Backfill } from "../../shared/core/gang/backfill.ts";
import type { Decisions } from "../../shared/core/attend/decisions.ts";
import type { Call, Snapshot } from "../../shared/core/attend/snapshot.ts";
import type { Condition, Pod } from "../../shared/kubernetes/types.ts";
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { Words } from "../kube/events.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { Holds } from "./holds.ts";
import type { Metrics } from "../report/metrics.ts";
import type { PolicyClient } from "../policy/policy_client.ts";

/** The relay's copy of the cluster, its open calls, and the ways out of it. */
export interface World {
  readonly relayId: string;
  readonly decisions: Decisions;
  readonly cluster: Cluster;
  readonly holds: Holds;
  readonly policy: PolicyClient;
  readonly metrics: Metrics;
  /** Writes a binding. */
  readonly bind: (pod: Call["pod"]) => Promise<void>;
  /** Wakes a member in the scheduler's queue, and may say where it is to go. */
  readonly poke: (poke: Pick<EffectOf<"poke">, "pod" | "uid" | "node">) => void;
  /** Says where a pod is to go. */
  readonly nominate: (pod: Pod["metadata"], node: string) => Promise<void>;
  /** Removes Muster's scheduling gate. */
  readonly ungate: (pod: Pod["metadata"]) => Promise<void>;
  /** Writes a condition of a pod. */
  readonly setCondition: (pod: Pod["metadata"], condition: Condition) => Promise<void>;
  /** Says something about a pod, as an event. */
  readonly say: (pod: Pod, words: Words) => void;
  /** Says that no victims leave for a pod any more; rejected where the pod is not as it was seen. */
  readonly unnominate: (pod: Pod["metadata"]) => Promise<void>;
  /** Asks a pod to leave its node. */
  readonly evict: (pod: Pod["metadata"]) => Promise<void>;
  /** Whether that is done for whole gangs; otherwise the scheduler evicts. */
  readonly evicts: boolean;
  /** Says to the admission policy whether new members are gated. */
  readonly setGate: (value: "on" | "off") => Promise<void>;
  /** How room is kept for gangs that wait. */
  readonly backfill: Backfill;
  /** Annotates a member as parked (S3). */
  readonly park: (record: PodRecord) => void;
  /** A group has been looked at after something changed: what is said of its gangs may be new. Without facts: it is gone. */
  readonly looked: (group: GangGroup, snapshot: Snapshot | undefined) => void;
  /** Longest time that a call may be held, in ms. */
  readonly longestHoldMs: number;
}
