/**
 * A row of reference/placement.md.
 *
 * @module
 */

/** A node by its GPUs and labels; `used` are taken by a pod of somebody else that stays. */
export interface NodeRow {
  gpus: number;
  used?: number;
  labels?: Record<string, string>;
}

/** Members that are alike; where they stand on a node already they run there. */
export interface MembersRow {
  pods: number;
  gpus: number;
  on?: string;
  /** A path, and what is said of it: `{ role: "ps", "role-min": "1" }`, without the prefix. */
  says?: Record<string, string>;
}

/** A gang by its members; without `min` all of them are needed. */
export interface GangRow {
  min?: number;
  /** What all of its members say, without the prefix. */
  says?: Record<string, string>;
  members: Record<string, MembersRow>;
}

/** A row of reference/placement.md, in one namespace and on nodes of its own. */
export interface Row {
  id: string;
  nodes: Record<string, NodeRow>;
  /** The nodes are open only once all are there that wait: who comes first may not decide. */
  opensLast?: true;
  gangs: Record<string, GangRow>;
  /** How many of each kind of members have a node in the end, those that ran before included. */
  bound: Record<string, number>;
  /** Kinds of members whose nodes have one value of a label in the end, and the values that will do; absent: any. */
  within?: { key: string; members: string[]; values?: string[] }[];
  /** How many members are in the end on nodes of each value of a label. */
  spread?: { key: string; members: string[]; of: Record<string, number> };
  /** What those say that have no node. */
  says?: string;
}
