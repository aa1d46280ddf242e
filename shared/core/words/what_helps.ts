/**
 * What its user can do about a gang that waits.
 *
 * @module
 */
import type { Reason } from "./reason.ts";

/** What would help a gang that waits for such a reason; undefined where nothing needs to be done. */
export function whatHelps(reason: Reason, gang: string): string | undefined {
  return helps[reason]?.replace("<gang>", gang);
}

/** Whether a gang that waits for such a reason goes on without anybody doing anything. */
export function goesOnByItself(reason: string): boolean {
  return goingOn.includes(reason);
}

const goingOn: readonly string[] = [
  "BehindInQueue",
  "MembersGated",
  "WaitingForMembers",
  "MemberLost",
  "GangSwitched",
];

const helps: Partial<Record<Reason, string>> = {
  InvalidGang: "mend what its pods or its PodGroup declare",
  Parked: "remove the timeout annotation (kubectl muster unpark <gang>), or delete its pods",
  GroupIncomplete: "create the pods of the other gangs, or declare the gang group without them",
  MembersMissing: "create the missing pods, or lower minMember",
  SchedulerMismatch:
    "create the pods of other schedulers anew with a spec.schedulerName that Muster serves, or lower minMember",
  MembersGated: "whoever put the other scheduling gates on its pods has to remove them",
  InsufficientResources:
    "wait until other pods end, add nodes (to try it: kubectl muster simulate --help), or ask for less",
  LeftOut:
    "wait until other pods end, or add nodes (to try it: kubectl muster simulate --help); its group runs without it",
  BehindInQueue: "wait until the gang ahead has started, or give this one a higher priority",
  CustomPolicy: "do what the policy says; the gang is asked about again by itself",
  MemberUnschedulable:
    "mend what the scheduler says of the member; the gang is tried again by itself",
  MemberLost: "nothing, unless it happens again and again; the gang is tried again by itself",
  GangSwitched: "nothing; the gang is tried again by itself",
  TimedOut:
    "look at the members without a node; the gang is tried again by itself unless it is parked",
  WaitingForMembers: "look at the members without a node, until the deadline",
  Degraded: "create lost pods anew, make room for those that wait, or delete the gang",
};
