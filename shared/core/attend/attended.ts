/**
 * What is known of one gang group between events.
 *
 * @module
 */
import type { Decision } from "../stage/decision.ts";
import type { Loss, Whole } from "../gang/facts.ts";
import type { Clearance, Plan, Reservation } from "../plan/plan.ts";
import type { Spoken } from "./telling.ts";
import type { Arrivals } from "./gathering.ts";
import type { LeftAlone } from "./left_alone.ts";
import type { Promised } from "./promise.ts";
import type { Placement } from "./placement.ts";
import type { Question } from "./question.ts";
import type { RefusedNodes } from "./refused_nodes.ts";
import { SharedMap } from "./shared_map.ts";
import { lacksRoom, type Standing, type Why } from "./standing.ts";
import type { VainEvictions } from "./vain_evictions.ts";
import type { Call } from "./snapshot.ts";

/** What prefilter was last told. */
export interface Told {
  readonly specs: string;
  readonly counts: string;
  readonly present: number;
  readonly fits: boolean | undefined;
  readonly plan: string;
  /** That pods are to leave for it. */
  readonly leaving: boolean;
  /** What it is planned without. */
  readonly leftOut?: string | undefined;
  /** That the scheduler does not try its members. */
  readonly isUntried?: boolean | undefined;
  /** That its gates can not be removed. */
  readonly isAtGate?: boolean | undefined;
  readonly at: number;
  /** What changed only in number is reported so long after this, in ms. */
  readonly reportAfter: number;
  /** It was rejected before. */
  readonly isNewlyLetIn: boolean;
}

/** The last decision about held members, and what it was told. */
export interface LastDecision {
  readonly decision: Decision;
  readonly specs: string;
  readonly present: number;
  /** Members that stay held by it. */
  readonly held: number;
  readonly askAgainAt: number;
}

/** A question whose answer is on its way, and what it was asked by. */
export interface Asking {
  readonly question: Question;
  readonly weakened: number;
  readonly specs: string;
  readonly present: number;
  /** The calls that were open. */
  readonly calls: readonly Call[];
  readonly wasLetIn: boolean;
}

/** A member that `filter` refused, and what the scheduler was told. */
export interface Refusal {
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly gang: string;
  /** Undefined where its pod had not been seen. */
  readonly kind?: string | undefined;
  readonly reason: string;
  readonly sentence: string;
  readonly at: number;
  /** It left evictions to its group, on these nodes among others: it is to be tried again when it may evict for itself. */
  readonly leftToGroup?: readonly Evicting[];
  /** It was refused to evict: `filter` may have had no part in that, and then no annotation wakes it. */
  readonly isByPreempt?: boolean;
}

/** A node on which the scheduler would evict others for a member. */
export interface Evicting {
  readonly node: string;
  /** So many members like it have room there, as far as is counted. */
  readonly fits: number;
  /** When a pod left the node last, or the node changed, in ms since the epoch. */
  readonly changedAt: number;
}

/** A pod for which others make room; `title` is for messages. */
export interface Preemptor {
  readonly uid: string;
  readonly title: string;
  /** A watch has shown it: it is gone as soon as none does. */
  readonly isSeen?: boolean;
}

/** Members of a gang that had to leave, or are to, by uid, and for whom, in words. */
export interface PreemptedMembers {
  readonly uids: readonly string[];
  readonly by: string;
}

/** A gang group, as it is attended to. */
export interface Attended {
  /** Canonical name of the group. */
  readonly id: string;
  readonly arrivals: Arrivals;
  readonly standing: Standing;
  /** Undefined: prefilter is to be asked. */
  readonly told: Told | undefined;
  /** When prefilter is to be asked again whatever happens. */
  readonly retryAt: number;
  readonly round: LastDecision | undefined;
  /** When its last round failed (S0 LastFailureTimestamp), RFC 3339. */
  readonly failedAt: string | undefined;
  /** Which of its gangs were whole once, as the functions said last. */
  readonly whole: Whole | undefined;
  readonly asking: Asking | undefined;
  /** Not yet reported. */
  readonly lost: readonly Loss[];
  /** Counts events after which an older answer must not be carried out. */
  readonly weakened: number;
  /** The count at which too few members were left. */
  readonly brokenAt: number;
  /** Undefined: what it was planned by has changed since. */
  readonly plan: Plan | undefined;
  /** The room that was last kept for it from a time on, whatever has changed since. */
  readonly reserved?: Reservation | undefined;
  /** What is said of its start; undefined: nothing, as long as it has waited. */
  readonly promise: Promised | undefined;
  /** Since when it is whole but for room. */
  readonly shortSince: number | undefined;
  /** Since when all members that it needs have had room. */
  readonly fitsSince: number | undefined;
  /** Until then its members that are not held keep their room from the groups behind. */
  readonly keepsUntil: number;
  /** When gates of its members were removed last, in ms since the epoch; undefined: none was. */
  readonly ungatedAt?: number | undefined;
  /** Since when they are being removed, in ms since the epoch, time and again where the API server refuses; undefined: they are not. */
  readonly ungatingSince?: number | undefined;
  readonly placement: Placement;
  readonly refusedNodes: RefusedNodes;
  /** Where members were nominated to, by uid. */
  readonly nominated: SharedMap<string>;
  /** Members that are nowhere nominated to, or elsewhere, have a place. */
  readonly isToNominate: boolean;
  /** By uid. */
  readonly refused: SharedMap<Refusal>;
  /** Until when members that `filter` let through are awaited, by uid. */
  readonly coming: SharedMap<number>;
  /** It was let go for a preemptor, and until when its bind calls are refused for that at the latest. */
  readonly yields: { readonly to: Preemptor; readonly until: number } | undefined;
  /** Versions of members as they were when their nomination was taken back, by uid. */
  readonly takenBack: SharedMap<string>;
  /** Room that pods leave for it by its last plan, or have left, until it is let in there. */
  readonly clearance: Clearance | undefined;
  /** Undefined: nobody was evicted for it since it was whole last. */
  readonly vainEvictions?: VainEvictions | undefined;
  /** Members of its gangs that are to leave because others had to, by gang. */
  readonly broken: ReadonlyMap<string, PreemptedMembers>;
  /** The functions do not take its facts. */
  readonly leftAlone: LeftAlone | undefined;
  /** Members that had to leave since their gang was whole last, by gang. */
  readonly preempted: ReadonlyMap<string, PreemptedMembers>;
  /** The reason of the last event about each gated member, by uid. */
  readonly saidReasons: SharedMap<string>;
  readonly spoken: Spoken | undefined;
  /** What was last written on its gated members. */
  readonly conditionSaid: { readonly reason: string; readonly at: number } | undefined;
}

/** A group of which the first member has just been seen. */
export function attendedSince(id: string, now: number): Attended {
  return {
    id,
    arrivals: { first: now, last: now },
    standing: { phase: "collecting" },
    told: undefined,
    retryAt: Infinity,
    round: undefined,
    failedAt: undefined,
    whole: undefined,
    asking: undefined,
    lost: [],
    weakened: 0,
    brokenAt: 0,
    plan: undefined,
    promise: undefined,
    shortSince: undefined,
    fitsSince: undefined,
    keepsUntil: 0,
    // Where its members are to go says its first plan.
    placement: { steering: "unplanned", uses: [], isPublished: false, chosen: SharedMap.empty() },
    nominated: SharedMap.empty(),
    isToNominate: false,
    refusedNodes: new Map(),
    refused: SharedMap.empty(),
    coming: SharedMap.empty(),
    yields: undefined,
    takenBack: SharedMap.empty(),
    clearance: undefined,
    broken: new Map(),
    leftAlone: undefined,
    preempted: new Map(),
    saidReasons: SharedMap.empty(),
    spoken: undefined,
    conditionSaid: undefined,
  };
}

/** Whether the scheduler may try its members, and why, for whoever says it. */
export interface Verdict extends Why {
  readonly verdict: "allow" | "reject";
}

/** The verdict on a group; undefined while it is collecting. */
export function verdictOf(attended: Attended | undefined): Verdict | undefined {
  if (!attended || attended.standing.phase === "collecting") return undefined;
  const { phase, why } = attended.standing;
  return { verdict: phase === "let in" ? "allow" : "reject", ...why };
}

/** Whether it was let in before it lost members that it needs: new ones wait for another verdict. */
export function isInDoubt({ standing, brokenAt }: Attended): boolean {
  return standing.phase === "let in" && brokenAt > standing.judgedAt;
}

/** Whether its members may be tried now. */
export function isLetIn(attended: Attended): boolean {
  return attended.standing.phase === "let in" && !isInDoubt(attended);
}

/** Whether it is being asked about, and room is there: whoever is behind it in the queue waits for the answer. */
export function isAboutToBeLetIn({ asking, plan }: Attended): boolean {
  return asking !== undefined && plan !== undefined && !plan.ahead &&
    plan.fit.members === plan.fit.of;
}

/** Whether its verdict is of the facts as they are now: room that has come is about to be told. */
export function isJudged(attended: Attended): boolean {
  const { asking, plan, standing } = attended;
  const isAnswered = asking === undefined && standing.phase !== "collecting";
  return isAnswered && plan !== undefined && !isInDoubt(attended) &&
    !(plan.taken && lacksRoom(standing));
}

/** Members are not held any more, which no decision knows that was asked for before. */
export function withLost(attended: Attended, lost: Attended["lost"]): Attended {
  return {
    ...attended,
    lost: [...attended.lost, ...lost],
    weakened: attended.weakened + lost.length,
  };
}
