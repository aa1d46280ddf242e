/**
 * What happens to a gang group.
 *
 * @module
 */
import type { Admission, Decision } from "../stage/decision.ts";
import type { Loss, MemberFailure } from "../gang/facts.ts";
import type { Plan } from "../plan/plan.ts";
import type { PreemptedMembers, Preemptor, Refusal } from "./attended.ts";
import type { Call, Snapshot } from "./snapshot.ts";

/** Something that happened. What changes its members or gangs is followed by a look when the events of their burst are over. */
export type GroupEvent =
  /** A member was seen for the first time; perhaps `filter` had refused it before that. */
  | { readonly is: "member came"; readonly uid: string; readonly refusal?: Refusal | undefined }
  /** A member changed; `failure`: what the scheduler's own plugins say of it now, and did not before. */
  | {
    readonly is: "member changed";
    readonly failure?: MemberFailure | undefined;
    readonly failedBefore?: boolean | undefined;
    /** Of the member that failed. */
    readonly kind?: string | undefined;
    /** Nodes with places for its group that have just changed: the scheduler may not have heard of that. */
    readonly changed?: readonly string[] | undefined;
    /** How many members of its kind have nodes with places for its group, or are held for them. */
    readonly alikeOn?: readonly (readonly [node: string, members: number])[] | undefined;
  }
  /** A member is gone or being deleted; so few are left, wherever they are, that the gang is incomplete, or not. */
  | { readonly is: "member left"; readonly uid: string; readonly isIncomplete: boolean }
  /** A member that a quorum may have counted on has its place no more; too few are left, or not. */
  | {
    readonly is: "place lost";
    readonly uid: string;
    readonly gang: string;
    readonly isTooFew: boolean;
    /** For whom it had to leave, in words. */
    readonly by?: string | undefined;
    /** The members that are to leave with it, because their gang is broken; absent: none. */
    readonly rest?: readonly string[] | undefined;
  }
  /** What its gangs declare, or another gang that it names, came, changed or went. */
  | { readonly is: "declared" }
  /** The scheduler asks to bind a member. */
  | { readonly is: "call opened"; readonly uid: string }
  /** A member is not held any more, and the scheduler has been told so. */
  | { readonly is: "call lost"; readonly loss: Loss }
  /** A binding was written; so many are placed that the gang is whole, or not. */
  | { readonly is: "bound"; readonly gang: string; readonly isWhole: boolean }
  /** A gang left for another group: what was known of these members is not this one's any more. */
  | { readonly is: "gang left"; readonly gang: string; readonly uids: readonly string[] }
  /** A gang came from another group, with what was known of its members. */
  | {
    readonly is: "gang came";
    readonly refused: readonly (readonly [uid: string, refusal: Refusal])[];
    readonly lost: readonly Loss[];
    readonly gang: string;
    readonly preempted: PreemptedMembers | undefined;
  }
  /** Its members are let go for a preemptor, also where their calls are still on the way. */
  | {
    readonly is: "let go";
    readonly calls: readonly Call[];
    readonly to: Preemptor;
    readonly title: string;
  }
  /** Another group's coming has a say in its round (S0). */
  | { readonly is: "asked about" }
  /** The index of gangs was lost: the functions are told of the group again at this time, in ms since the epoch, if not before. */
  | { readonly is: "unlisted"; readonly at: number }
  /** `filter` refused a member. */
  | {
    readonly is: "refused";
    readonly uid: string;
    readonly refusal: Refusal;
    /** Nodes that the scheduler's own plugins refused to its kind before, and take it on now. */
    readonly takenOn?: readonly string[] | undefined;
  }
  /** The gates of its members are being removed. */
  | { readonly is: "ungating" }
  /** They were removed. */
  | { readonly is: "ungated" }
  /** It was planned. */
  | {
    readonly is: "planned";
    readonly plan: Plan;
    /** Members that are neither bound nor held. */
    readonly waits: (uid: string) => boolean;
  }
  /** A stage answered. */
  | {
    readonly is: "answered";
    readonly answer: Admission | Decision;
    readonly snapshot: Snapshot;
  }
  /** A stage gave no answer. */
  | {
    readonly is: "unanswered";
    readonly why: {
      /** Nobody is answered, or it is these facts that are not taken. */
      readonly reason: "FunctionsUnreachable" | "FactsRefused";
      readonly message: string;
    };
    readonly snapshot: Snapshot;
  }
  /** What the functions said is not known any more: another relay acts. */
  | { readonly is: "forget answers" }
  /** The events of a burst are over, or a time has come. */
  | { readonly is: "look"; readonly snapshot: Snapshot; readonly longestHold: number };

/** An event of one kind. */
export type EventOf<Is extends GroupEvent["is"]> = Extract<GroupEvent, { readonly is: Is }>;

const ofOneMember: readonly GroupEvent["is"][] = [
  "member came",
  "member changed",
  "call opened",
  "bound",
];

/** Whether it is of a member whose siblings are about to have the like. */
export function isOfOneMember({ is }: Pick<GroupEvent, "is">): boolean {
  return ofOneMember.includes(is);
}
