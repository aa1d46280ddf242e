import type { Gang } from "./work.ts";

/** What became of a gang in a run. Times are milliseconds since the start of the clock, and may lie before it. */
export interface GangRecord extends Gang {
  /** The largest `resourceVersion` of its members as they were created: the order in which gangs were complete. */
  completedRevision: number;
  /** The oldest `creationTimestamp` of its members, as Kubernetes writes it: in whole seconds. */
  creationTimestamp: string;
  /** When each member's binding was seen, in that order. */
  boundAt: number[];
  /** When each member's deletion was asked for. */
  deletedAt: number[];
}

/** A bind call of one member, while it was open. */
export interface HoldRecord {
  gang: string;
  gpus: number;
  from: number;
  to: number;
}

/** One run of one work on one system. */
export interface RunRecord {
  system: string;
  work: string;
  /** Counts from 1. */
  repetition: number;
  /** All that the cluster has. */
  gpus: number;
  /** In the order of their creation. */
  gangs: GangRecord[];
  impossible?: GangRecord;
  /** Bind calls, where a proxy recorded them. */
  holds?: HoldRecord[];
  /** When the last member was bound, or when it was given up. */
  endedAt: number;
  /** Nothing was bound for so long that the run was given up. */
  isStuck: boolean;
  /** CPU seconds of each process between start and end. */
  cpuSeconds: Record<string, number>;
}
