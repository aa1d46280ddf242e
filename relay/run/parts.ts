/**
 * What the relay's parts share.
 *
 * @module
 */
import type { Backfill } from "../../shared/core/gang/backfill.ts";
import type { Decisions } from "../../shared/core/attend/decisions.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import type { BoundPod, Words, Write } from "../../shared/kubernetes/writes.ts";
import type { Circuit } from "../../shared/client/circuit.ts";
import type { Cluster } from "../../shared/cluster/cluster.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { Holds } from "./holds.ts";
import type { Metrics } from "../report/metrics.ts";
import type { PolicyClient } from "../policy/policy_client.ts";

/** The relay's copy of the cluster, its open calls, and the ways out of it. */
export interface Parts {
  readonly relayId: string;
  readonly decisions: Decisions;
  readonly cluster: Cluster;
  readonly holds: Holds;
  readonly policy: PolicyClient;
  /** Calls of the functions pass through it. */
  readonly circuit: Circuit;
  readonly metrics: Metrics;
  /** Writes a binding. */
  readonly bind: (pod: BoundPod) => Promise<void>;
  /** Writes; what may pass by itself is tried again a few times. */
  readonly write: (write: Write) => Promise<void>;
  /** Says something about a pod, as an event. */
  readonly say: (pod: Pod, words: Words & { readonly at?: number }) => void;
  /** Whether pods are evicted for whole gangs; otherwise the scheduler evicts. */
  readonly evicts: boolean;
  /** How room is kept for gangs that wait. */
  readonly backfill: Backfill;
  /** A group has been looked at after something changed: what is said of its gangs may be new. Without facts: it is gone. */
  readonly looked: (group: GangGroup, snapshot: Snapshot | undefined) => void;
  /** Longest time that a call may be held, in ms. */
  readonly longestHoldMs: number;
}
