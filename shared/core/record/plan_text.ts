/**
 * What a recording has of the plans of all groups: what they were made of, and what they say in short.
 *
 * @module
 */
import type { GangFacts, LeftOut } from "../gang/facts.ts";
import type { Composite } from "../gang/topology.ts";
import type { RunTime } from "../gang/run_time.ts";
import type { Estimate } from "../plan/estimate.ts";
import type { Goal, Plan } from "../plan/plan.ts";
import type { RunningGang, RunningPod, RunningTree } from "../plan/running.ts";
import type { Waiting, World } from "../plan/world.ts";
import type { Use } from "../room/fit.ts";
import type { Taken } from "../room/timetable.ts";
import type { DeltaText } from "./delta_text.ts";

/** All groups were planned. */
export interface PlanEntry {
  /** In ms since the epoch. */
  readonly at: number;
  readonly world: WorldText;
  /** Plans in short, of the groups of which it is another than before, and whether some will queue. */
  readonly plans: readonly (readonly [group: string, plan: string])[];
  readonly isOverbooked: boolean;
}

/** By resource; null: not counted. */
export type AmountsText = readonly (readonly [resource: string, amount: number | null])[];

/** What plans are made of. What is not there is as in the plans before; amounts and kinds are told by their numbers. */
export interface WorldText {
  /** Nothing that was said before holds. */
  readonly isNew?: true;
  /** Nodes have come, gone, or changed. */
  readonly isElsewhere?: true;
  readonly free?: DeltaText<AmountsText>;
  /** Where it was asked for. */
  readonly capacity?: DeltaText<AmountsText>;
  /** Values of labels by node, for all that gangs name. */
  readonly labels?: readonly (readonly [key: string, values: readonly (readonly string[])[]])[];
  readonly fixed?: Pick<World, "levels" | "settings"> & {
    /** Absent: it is not bounded. */
    readonly backfillMs?: number;
    /** Absent: for none. */
    readonly reservations?: number | "all";
    readonly evicts: boolean;
  };
  readonly nominated?: readonly ClaimText[];
  /** What pods below a priority take, by node and priority. */
  readonly below?: { readonly limit: number | null; readonly claims?: DeltaText<ClaimText> };
  readonly running?: readonly RunningText[];
  /** Where it was asked for. */
  readonly leaving?: readonly {
    node: string;
    requests: number;
    name: string;
    for?: string | undefined;
  }[];
  /** What ends, by group, where it was asked for. */
  readonly ending?: { readonly groups?: DeltaText<EndingText> };
  readonly amounts?: readonly AmountsText[];
  readonly kinds?: readonly KindText[];
  /** The queue, where it is another. */
  readonly order?: readonly string[];
  readonly waiting?: readonly WaitingText[];
}

/** Room that is taken. */
export type ClaimText = readonly [node: string, priority: number, amounts: AmountsText];

/** What runs below a priority, where it was asked for. */
export interface RunningText {
  readonly priority: number;
  readonly pods?: DeltaText<Omit<RunningPod, "requests" | "uid"> & { readonly requests: number }>;
  readonly gangs: readonly (readonly [gang: string, facts: RunningGang])[];
  readonly trees?: readonly RunningTree[];
  readonly budgets: readonly (readonly [budget: string, left: number])[];
}

/** When a group that runs ends, and what its members take. */
export interface EndingText {
  readonly endsAt: number;
  readonly isLeaving?: boolean;
  readonly uses: readonly (Omit<Taken, "requests"> & { readonly requests: number })[];
}

/** A kind of members, and the nodes on which it may not run. */
export interface KindText {
  readonly number: number;
  readonly kind: string;
  readonly requests: number;
  readonly role?: string | undefined;
  readonly exclusive?: readonly string[] | undefined;
  readonly hasPreference?: true | undefined;
  readonly rules?: number | undefined;
  readonly except: readonly string[];
}

/** A group that waits: what of it is otherwise than before, and its gangs where they were looked at. */
export interface WaitingText extends
  Partial<
    Pick<
      Waiting,
      | "priority"
      | "isNeverWhole"
      | "isKeptByPolicy"
      | "isPausing"
      | "isCleared"
      | "keepsUntil"
    >
  > {
  readonly id: string;
  readonly shortSince?: number | null;
  readonly runTime?: RunTime | null;
  readonly composite?: Composite | null;
  /** Its plan: none, the last one, or another, which was made on these nodes or not. */
  readonly plan?: "none" | "last" | {
    readonly plan: unknown;
    readonly taken?: readonly UseText[];
    readonly surplus?: readonly UseText[];
    /** Where room is kept for it. */
    readonly reserved?: readonly UseText[];
    readonly isHere: boolean;
  };
  /** The room that is kept for it: by the last plan, or another one. */
  readonly reserved?: "none" | "last" | {
    readonly estimate: Estimate;
    readonly uses: readonly UseText[];
  };
  /** Its earlier places: those of the last plan, or others. */
  readonly before?: "none" | "last" | readonly UseText[];
  /** Nodes that take some more members have their number. */
  readonly refused?: readonly (readonly [
    kind: string,
    nodes: readonly (string | readonly [node: string, more: number])[],
    each?: number,
  ])[];
  readonly nominated?: readonly (readonly [uid: string, node: string | null])[];
  readonly gangs?: readonly PlannedGangText[];
}

/** Places. */
export type UseText = Omit<Use, "requests"> & { readonly requests: number };

/** A gang; of its held members the number is enough. */
export interface PlannedGangText {
  readonly facts: Omit<GangFacts, "held">;
  readonly held: number;
  /** Members that are alike and follow each other: their kind, and their uids. */
  readonly candidates: readonly (readonly [kind: number, ...uids: (string | null)[]])[];
  readonly placed: readonly {
    readonly node: string;
    readonly requests: number;
    readonly role?: string | undefined;
    readonly exclusive?: readonly string[] | undefined;
  }[];
  readonly minResources?: AmountsText;
  /** Absent: nobody is evicted for it. */
  readonly evictsBelow?: number;
}

/** A plan in one line, without sentences: `2 of 2; at node-1 2`. */
export function planInShort(plan: Plan): string {
  const { fit, ahead, taken, surplus, unplaced, steering, isPublished, clearance, isShort } = plan;
  const { reservation, leftOut } = plan;
  return [
    `${fit.members} of ${fit.of}`,
    taken && `at ${usesInShort(taken)}`,
    surplus && `beside ${usesInShort(surplus)}`,
    unplaced !== undefined && `without ${unplaced}`,
    leftOut && leftOut.length > 0 && `not ${leftOut.map(leftOutInShort).join(", ")}`,
    steering,
    isPublished && "nominate",
    clearance && `evict ${clearance.victims.join(" ")} for ${usesInShort(clearance.taken)}`,
    clearance && clearance.members.map(goalInShort).join(" "),
    reservation && `from ${reservation.startsAt} at ${usesInShort(reservation.uses)}`,
    ahead && `behind ${ahead.gang}`,
    fit.byPreemption !== undefined && `policy ${fit.byPreemption}`,
    fit.shortOf !== undefined && `short of ${fit.shortOf}`,
    fit.impossible && `not ${fit.impossible.scope}`,
    isShort && "needs room",
  ].filter(Boolean).join("; ");
}

function goalInShort({ uid, node, isAfterOthers }: Goal): string {
  return `${uid} to ${node}${isAfterOthers ? " after others" : ""}`;
}

function leftOutInShort({ part, fit }: LeftOut): string {
  return fit ? `${part} ${fit.members} of ${fit.of}` : part;
}

function usesInShort(uses: readonly Use[]): string {
  return uses.map(({ node, count }) => `${node} ${count}`).join(", ");
}
