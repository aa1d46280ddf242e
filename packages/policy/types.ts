/**
 * What a policy is asked, and what it answers.
 *
 * @module
 */
import type {
  Amounts,
  Attributes,
  GangSpec,
  Group,
  ResourceAmounts,
  Running,
} from "../../shared/core/gang/facts.ts";

export type { Amounts, Attributes, GangSpec, Group, ResourceAmounts, Running };

/** The cluster, as far as policies share it out. A relay may leave any of it out. */
export interface ClusterFacts {
  /** RFC 3339: when this is asked. A policy that looks at a clock looks at this one, so that it can be tried. */
  readonly at?: string | undefined;
  /** What the nodes have of each resource, and what of it is taken. */
  readonly resources?: readonly ResourceAmounts[] | undefined;
  /** What has room now: gang by gang, and what is left of each namespace. */
  readonly running?: readonly Running[] | undefined;
  /** Other gangs that were let in, or for which pods leave: their members without a node, and what these ask for. */
  readonly starting?: readonly Running[] | undefined;
}

/** Something that queues: a gang, one pod of a gang, or a regular pod. */
export interface QueueUnit {
  readonly id: string;
  /** Absent: it is a regular pod. */
  readonly gang?: GangSpec | undefined;
  readonly priority: number;
  /** RFC 3339. */
  readonly queuedAt: string;
  /** Members of its gang that are bound. */
  readonly bound?: number | undefined;
  /** The largest minMember that its gang was whole with. */
  readonly wholeAt?: number | undefined;
  /** What its members without a node ask for together. */
  readonly asks?: Amounts | undefined;
}

/** `POST /v1/queue-sort`: in which order do these start? */
export interface QueueSortRequest extends ClusterFacts {
  readonly units: readonly QueueUnit[];
}

/** Keys whose string order is the order in which units start; every unit of a gang group has the same. */
export interface QueueSortAnswer {
  readonly keys: readonly { readonly id: string; readonly key: string }[];
  /** So long the keys hold, in seconds; absent: 30, or until the units change. */
  readonly askAgainSeconds?: number | undefined;
}

/** `POST /v1/admit`: may a gang group start that could start now? */
export interface AdmitRequest extends Group, ClusterFacts {
  /** By `namespace/name` of its gangs: what members without a node ask for together. */
  readonly asks?: Readonly<Record<string, Amounts>> | undefined;
}

/** Whether it may. */
export interface AdmitAnswer {
  readonly verdict: "allow" | "wait";
  /** Why it waits, in one word: `BudgetUsedUp`. */
  readonly reason?: string | undefined;
  /** Why it waits, for its owner; its pods show 300 letters of it. */
  readonly message?: string | undefined;
  /** When to ask again if nothing changes before, in seconds, 1 to 86,400; absent: 30. */
  readonly askAgainSeconds?: number | undefined;
}
