/**
 * What is to be done about a gang group.
 *
 * @module
 */
import type { Decision } from "../stage/decision.ts";
import type { Attended, Refusal } from "./attended.ts";
import type { BrokenBy } from "./promise.ts";
import type { Question } from "./question.ts";
import type { Call } from "./snapshot.ts";

/** Something that the relay does; whatever comes of it is another event. */
export type Effect =
  /** Asks the functions; the answer is the event `answered` or `unanswered`. */
  | { readonly do: "ask"; readonly question: Question }
  /** Answers a held call with an error, so that the scheduler forgets the pod's place. */
  | { readonly do: "release"; readonly call: Call; readonly sentence: string }
  /** Writes a binding, and answers the call. */
  | { readonly do: "bind"; readonly call: Call }
  /**
   * Wakes a member in the scheduler's queue; `node`: and says where it is to go; `isRoused`: also where the scheduler's own
   * plugins alone refused it.
   */
  | {
    readonly do: "poke";
    readonly pod: Refusal["pod"];
    readonly uid: string;
    readonly node?: string;
    readonly isRoused?: true;
  }
  /** Annotates the members without a node as parked (S3). */
  | { readonly do: "park" }
  /** Writes the `PodScheduled` condition of these gated members. */
  | {
    readonly do: "say";
    readonly uids: readonly string[];
    readonly reason: "Unschedulable" | "SchedulingGated";
    readonly message: string;
  }
  /** Evicts pods, and lets held ones go; `group` is the canonical name of the gang group that takes their room. */
  | {
    readonly do: "evict";
    readonly uids: readonly string[];
    /** For whom, in words. */
    readonly by: string;
    readonly group?: string;
  }
  /** Says where members are to go. */
  | {
    readonly do: "nominate";
    readonly members: readonly { readonly uid: string; readonly node: string }[];
  }
  /** Says that no victims leave for these members any more. */
  | { readonly do: "unnominate"; readonly uids: readonly string[] }
  /** Writes an event about these gated members. */
  | {
    readonly do: "tell";
    readonly uids: readonly string[];
    readonly type: "Normal" | "Warning";
    readonly reason: string;
    readonly message: string;
    readonly at: number;
  }
  /** Counts how long calls were held until a decision ended their wait. */
  | { readonly do: "count round"; readonly decision: Decision; readonly heldMs: number }
  /** Counts a start of which something was promised first. */
  | { readonly do: "count start"; readonly lateMs: number }
  /** Counts a promise that is not kept. */
  | { readonly do: "count broken promise"; readonly by: BrokenBy }
  /** Another gang group is to be asked about anew (S0). */
  | { readonly do: "ask about"; readonly group: string }
  /** Looks at the group again when the events of this burst are over. */
  | { readonly do: "look" }
  /** Looks at it at that time, unless something happens before. */
  | { readonly do: "wake"; readonly at: number }
  /** Nothing is left of it. */
  | { readonly do: "forget" };

/** An effect of one kind. */
export type EffectOf<Do extends Effect["do"]> = Extract<Effect, { readonly do: Do }>;

/** What follows from an event. */
export interface Advanced {
  readonly attended: Attended;
  readonly effects: readonly Effect[];
}

/** One part after another, each from what the one before left. */
export function inTurn(
  attended: Attended,
  parts: readonly ((attended: Attended) => Advanced)[],
): Advanced {
  const all: Effect[] = [];
  let before = attended;
  for (const part of parts) {
    const { attended, effects } = part(before);
    before = attended;
    for (const effect of effects) all.push(effect);
  }
  return { attended: before, effects: all };
}
