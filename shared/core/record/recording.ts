/**
 * What a recording is made of: a line of JSON for each decision about a gang group, with all that entered it.
 *
 * @module
 */
import type { Effect } from "../attend/effect.ts";
import type { Call } from "../attend/snapshot.ts";
import type { GangFacts, PodRef } from "../gang/facts.ts";
import type { PlanEntry } from "./plan_text.ts";

/** Of the format; a reader takes no other. */
export const recordingVersion = 3;

/** The first line of a file. */
export interface Header {
  readonly recording: typeof recordingVersion;
  /** Version of the Muster that wrote it. */
  readonly muster: string;
  /** Of the process that wrote it, RFC 3339. */
  readonly startedAt: string;
  readonly cluster: string;
  /** Names are hashed. */
  readonly isHashed: boolean;
}

/** So many decisions are not there, because the disk was too slow or one could not be written. */
export interface Gap {
  readonly missed: number;
}

/** One decision. What is said only once of a group is said anew in each file, and after a gap. */
export interface Entry {
  /** In ms since the epoch. */
  readonly at: number;
  /** Canonical name of the group. */
  readonly group: string;
  /** What was known of it before, where that does not follow from the entries above: then nothing is as before. */
  readonly known?: unknown;
  /** An event, and the effects in short. */
  readonly event?: EventText;
  readonly did?: readonly string[];
  /** A member that `filter` was asked for, and the reason against it. */
  readonly filter?: { readonly uid: string; readonly gang: string; readonly placed?: PlacedText };
  /** A member that `filter` would let through. */
  readonly offer?: OfferText;
  /** The reason, or those of the nodes that it may take; null: none, or all. */
  readonly said?: string | null;
  /** Nothing but this: the last entry of the group happened so many times more, the last time now, and changed nothing. */
  readonly again?: number;
}

/** Any line. */
export type Line = Header | Gap | Entry | PlanEntry;

/** Of the nodes that the scheduler has for a member those on which something hangs: planned, or not to spare; and one that is. */
export interface OfferText {
  readonly uid: string;
  readonly gang: string;
  readonly kind?: string;
  readonly nodes: readonly string[];
  readonly nominated?: string;
  readonly isPart?: true;
  readonly isIndifferent?: true;
  /** Of those with room the one to fill first. */
  readonly fullest?: string;
  /** Nodes without room for it. */
  readonly kept?: readonly string[];
  /** Nodes on which its group's plan has room for it, and nothing is to spare. */
  readonly own?: readonly string[];
  /** The same, where somebody else may come to it first. */
  readonly contested?: readonly string[];
  /** Nodes that had changed just before. */
  readonly changed?: readonly string[];
  /** On nodes where it was planned, or that had been refused. */
  readonly alikeOn?: AlikeText;
}

/** How many members of a kind had a node or were held for it. */
export type AlikeText = readonly (readonly [node: string, members: number])[];

/** An event without what the recording says in other ways. */
export interface EventText {
  readonly is: string;
  readonly snapshot?: SnapshotText;
  readonly waits?: Record<string, boolean>;
  /** Absent in the event `planned`: as before. */
  readonly plan?: unknown;
}

/** A snapshot; what may be as it was in the snapshot before is not there where it is. */
export interface SnapshotText {
  readonly title?: string;
  readonly specs?: string;
  readonly counts?: string;
  readonly present?: number;
  readonly pending?: number;
  readonly isGone?: boolean;
  readonly isForeign?: boolean;
  readonly lacksMap?: boolean;
  readonly relayId?: string;
  readonly epoch: number;
  readonly gangs?: readonly GangText[];
  /** Ids; those that are granted below zero. */
  readonly calls?: readonly number[];
  readonly newCalls?: readonly Omit<Call, "isGranted">[];
  /** Absent: none are. */
  readonly stranded?: readonly string[];
  /** Absent: some are tried, or are gated. */
  readonly untriedFrom?: number;
  /** What its functions answered, where they were asked: numbers of items. */
  readonly unschedulable?: readonly number[];
  readonly gated?: readonly number[];
  readonly nominated?: readonly number[];
  readonly newItems?: readonly unknown[];
  readonly untaken?: readonly (readonly [kind: string, nodes: readonly string[]])[];
  /** Absent of a kind: none of its members had a node. */
  readonly alikeOn?: readonly (readonly [kind: string, members: AlikeText])[];
  readonly placed?: PlacedText;
}

/** The facts of a gang; its held members are those of its calls. */
export interface GangText extends Omit<GangFacts, "gang" | "held"> {
  readonly gang?: GangFacts["gang"];
  /** Where its held members are not those of its calls. */
  readonly held?: readonly PodRef[];
}

/** Of a gang so many members were counted, with those of them that were said to come. */
export type PlacedText = readonly (readonly [
  gang: string,
  coming: readonly string[],
  count: number,
])[];

/** An effect in one line, without sentences: `bind <uid>`, `wake in 500`. */
export function inShort(effect: Effect, now: number): string {
  switch (effect.do) {
    case "ask":
      return `ask ${effect.question.stage}`;
    case "release":
    case "bind":
      return `${effect.do} ${effect.call.pod.uid}`;
    case "poke": {
      const { pod, node, isRoused } = effect;
      const to = node === undefined ? "" : ` to ${node}`;
      return `${isRoused ? "rouse" : "poke"} ${pod.namespace}/${pod.name}${to}`;
    }
    case "nominate":
      return `nominate ${effect.members.map(({ uid, node }) => `${uid} to ${node}`).join(" ")}`;
    case "say":
      return `say ${effect.reason} ${effect.uids.join(" ")}`;
    case "evict":
      return `evict ${effect.uids.join(" ")}`;
    case "unnominate":
      return `unnominate ${effect.uids.join(" ")}`;
    case "tell":
      return `tell ${effect.type} ${effect.reason} ${effect.uids.join(" ")}`;
    case "count round":
      return `count ${effect.decision.verdict}`;
    case "count start":
      return `count start ${effect.lateMs}`;
    case "count broken promise":
      return `count ${effect.by}`;
    case "ask about":
      return `ask about ${effect.group}`;
    case "wake":
      return `wake in ${effect.at - now}`;
    case "park":
    case "look":
    case "forget":
      return effect.do;
  }
}

/** What a decision that threw did. */
export function thrown(error: unknown): string {
  return `throw ${error instanceof Error ? error.name : typeof error}`;
}
