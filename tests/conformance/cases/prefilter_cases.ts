/**
 * PreFilter, as sections A, D and G of the scenarios and the seeds state it.
 *
 * @module
 */
import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type {
  Ahead,
  Fit,
  Group,
  MemberFailure,
  PolicyWord,
} from "../../../shared/core/gang/facts.ts";
import type { Reason } from "../../../shared/core/words/reason.ts";
import { at, gang, group, together } from "../../support/facts.ts";
import type { Circumstances, ConformanceCase, Earlier } from "./conformance_case.ts";

interface Row extends Circumstances {
  readonly given: Group;
  readonly fit?: Fit;
  readonly refused?: MemberFailure;
  readonly ahead?: Ahead;
  readonly policy?: PolicyWord;
  readonly expect: Reason;
  /** Default: what the reason comes with. */
  readonly verdict?: "allow" | "reject";
  readonly need?: number;
  /** A part of the message. */
  readonly says?: string;
}

/** The reasons that come with verdict allow. */
const allows: readonly Reason[] = ["Admitted", "Satisfied", "Degraded"];

const problem = { reason: "InvalidMinMember", message: 'min-available is "five"' };
const stray = { pod: "a-2", scheduler: "volcano", served: ["muster"] };
const noPodGroup = {
  reason: "PodGroupNotFound",
  message: 'gang default/a waits for its PodGroup: create one named "a", of scheduling.sigs.k8s.io',
};

/** No node could take member a-2. */
function failed(secondsAgo: number): Earlier {
  return {
    secondsAgo,
    call: {
      stage: "postfilter",
      group: group(gang({ minMember: 2, held: 1, pending: 1 })),
      failed: [{ uid: "uid-2", name: "a-2", message: "no room" }],
    },
  };
}

const rows: Row[] = [
  // Sections A and G of the scenarios.
  {
    id: "SP-PF-3 minMember 2, 1 pod exists",
    given: group(gang({ minMember: 2, pending: 1 })),
    expect: "MembersMissing",
    need: 1,
    says: "gang default/a has 1 of 2 members: waiting for 1 more pod to be created",
  },
  {
    id: "SP-PF-4 minMember 2, 2 pods exist",
    given: group(gang({ minMember: 2, pending: 2 })),
    expect: "Admitted",
  },
  {
    id: "SP-PF-5 minMember 2, 3 pods exist",
    given: group(gang({ minMember: 2, pending: 3 })),
    expect: "Admitted",
  },
  {
    id: "SP-PF-6 3 siblings, 1 gated by others, minMember 2",
    given: group(gang({ minMember: 2, pending: 2, gated: 1 })),
    expect: "Admitted",
  },
  {
    id: "SP-PF-7 3 siblings, 2 gated by others, minMember 2",
    given: group(gang({ minMember: 2, pending: 1, gated: 2 })),
    expect: "MembersGated",
    need: 1,
    says: "2 more wait behind scheduling gates",
  },
  {
    id: "members of another scheduler are not counted, and the first of them is named",
    given: group(gang({ minMember: 3, pending: 1, foreign: 2, stray })),
    expect: "SchedulerMismatch",
    need: 2,
    says: 'pod a-2 of scheduler "volcano" and 1 more are not',
  },
  {
    id: "members of another scheduler that the gang does not need are no obstacle",
    given: group(gang({ minMember: 2, pending: 2, foreign: 1, stray })),
    expect: "Admitted",
  },
  {
    id: "members of another scheduler keep a gang that runs in part from becoming whole",
    given: group(gang({ minMember: 4, bound: 1, pending: 2, foreign: 1, stray })),
    settings: { matchPolicy: "waiting-and-running" },
    fit: { members: 2, of: 3 },
    expect: "SchedulerMismatch",
    need: 1,
  },
  {
    id: "members of another scheduler are what a gang lacks that was once satisfied",
    given: group(gang({ minMember: 3, running: 1, pending: 1, foreign: 1, stray })),
    expect: "SchedulerMismatch",
    verdict: "allow",
  },
  {
    id: "SP-PF-8 every sibling gated by others",
    given: group(gang({ minMember: 2, gated: 3 })),
    expect: "MembersGated",
    need: 2,
  },
  {
    id: "SP-PF-7 gates alone do not explain what is missing",
    given: group(gang({ minMember: 5, pending: 1, gated: 2 })),
    expect: "MembersMissing",
    need: 4,
  },
  {
    id: "SP-CR-1 enough room for all that are needed",
    given: group(gang({ minMember: 4, pending: 4 })),
    fit: { members: 4, of: 4 },
    expect: "Admitted",
  },
  {
    id: "SP-CR-2 room for fewer than are needed",
    given: group(gang({ minMember: 4, pending: 4 })),
    fit: { members: 3, of: 4, shortOf: "cpu" },
    expect: "InsufficientResources",
    says: "gang default/a needs room for 4 more members and finds it for 3: short of cpu",
  },
  {
    id: "what members hold already is not needed again",
    given: group(gang({ minMember: 4, pending: 2, held: 2 })),
    fit: { members: 2, of: 2 },
    expect: "Admitted",
  },
  {
    id: "fit: room that preemption would make counts",
    given: group(gang({ minMember: 4, pending: 4 })),
    fit: { members: 3, of: 4, byPreemption: 1 },
    expect: "Admitted",
  },
  {
    id: "fit: what no node could ever take is not waited for",
    given: group(gang({ minMember: 4, pending: 4 })),
    fit: {
      members: 3,
      of: 4,
      shortOf: "nvidia.com/gpu",
      impossible: { scope: "gang", resource: "nvidia.com/gpu", asks: 4, largest: 3 },
    },
    expect: "InsufficientResources",
    says:
      "waiting does not help: they ask for 4 nvidia.com/gpu, and all nodes that they may run on have 3",
  },
  {
    id: "fit: minResources that are not there do not hide how many members find room",
    given: group(gang({ minMember: 4, pending: 4 })),
    fit: {
      members: 0,
      of: 4,
      shortOf: "cpu",
      isForMinResources: true,
      minResources: { asks: 8000, free: 6500, members: 4 },
    },
    expect: "InsufficientResources",
    says:
      "finds it for 4: the cluster is short of cpu for its minResources, asked are 8 cpu and free 6.5",
  },
  {
    id: "fit: no resource is named when none is short",
    given: group(gang({ minMember: 2, pending: 2 })),
    fit: { members: 0, of: 2 },
    expect: "InsufficientResources",
    says: "finds it for 0",
  },
  {
    id: "KO-PE-3 BUG-10 once satisfied, gang rules bind no longer",
    given: group(gang({ minMember: 4, pending: 1, running: 3 })),
    fit: { members: 0, of: 1 },
    expect: "Degraded",
    says: "gang default/a runs with 3 of 4 members: 1 more waits for a node",
  },
  {
    id: "KO-PE-3 in profile sigs a replacement still needs room",
    given: group(gang({ minMember: 4, pending: 1, running: 3 })),
    profile: "sigs",
    fit: { members: 0, of: 1 },
    expect: "InsufficientResources",
  },
  {
    id: "BUG-10 a gang with bound members is never rejected for its count",
    given: group(gang({ minMember: 4, pending: 1, running: 1 })),
    profile: "sigs",
    expect: "Degraded",
    says: "gang default/a runs with 1 of 4 members: 1 more waits for a node, the others are gone",
  },
  {
    id: "in profile sigs a gang with bound members that lacks pods is not told that it lacks room",
    given: group(gang({ minMember: 4, pending: 1, running: 1 })),
    profile: "sigs",
    fit: { members: 0, of: 1 },
    expect: "Degraded",
    verdict: "reject",
    says: "gang default/a runs with 1 of 4 members",
  },
  {
    id: "S4 a gang of which too few are left to be whole again",
    given: group(gang({ minMember: 4, running: 2, failed: 2 })),
    expect: "Degraded",
  },
  {
    id: "S4 a gang of which the others wait behind gates of others",
    given: group(gang({ minMember: 4, running: 2, gated: 2 })),
    expect: "Degraded",
    says: "gang default/a runs with 2 of 4 members: 2 behind scheduling gates of others",
  },
  {
    id: "BUG-14 S4 a completing gang is not degraded",
    given: group(gang({ minMember: 4, running: 2, succeeded: 2 })),
    expect: "Satisfied",
  },
  {
    id: "KO-PE-4 minMember 4, 2 pods created",
    given: group(gang({ minMember: 4, pending: 2 })),
    expect: "MembersMissing",
    need: 2,
    says: "waiting for 2 more pods to be created",
  },
  {
    id: "KO-PE-4 the incomplete gang of the group is named",
    given: together(
      gang({ minMember: 2, pending: 2 }),
      gang({ name: "b", minMember: 3, pending: 1 }),
    ),
    expect: "MembersMissing",
    says: "gang default/b has 1 of 3",
  },
  {
    id: "KO-PE-5 minMember 4 of 4 pods, NonStrict",
    given: group(gang({ minMember: 4, pending: 4, mode: "NonStrict" })),
    expect: "Admitted",
  },
  {
    id: "KO-PE-7 total-number is no barrier",
    given: group(gang({ minMember: 4, totalMember: 5, pending: 4 })),
    expect: "Admitted",
  },
  {
    id: "KO-PE-2 a gang of the group has no pods yet",
    given: group(gang({ pending: 1, groups: ["default/a", "other/b"] })),
    expect: "GroupIncomplete",
    says: "waits for other/b: no pods of it exist yet",
  },
  {
    id: "S4 succeeded members count",
    given: group(gang({ minMember: 3, pending: 1, succeeded: 2 })),
    expect: "Admitted",
  },
  {
    id: "S0 S4 failed and terminating members do not count",
    given: group(gang({ minMember: 3, pending: 1, failed: 1, terminating: 2 })),
    expect: "MembersMissing",
    need: 2,
  },
  {
    id: "SP-PF-2 KO-PE-2 its PodGroup does not exist",
    given: group(gang({ minMember: 2, pending: 2, problem: noPodGroup })),
    expect: "InvalidGang",
    says: "gang default/a waits for its PodGroup",
  },
  // Section D.
  {
    id: "SP-BO-1 a round failed a moment ago",
    given: group(gang({ minMember: 2, pending: 2 })),
    before: [failed(1)],
    expect: "MemberUnschedulable",
    says: "no node for member a-2",
  },
  {
    id: "SP-BO-1 the round failed long enough ago",
    given: group(gang({ minMember: 2, pending: 2 })),
    before: [failed(5)],
    expect: "Admitted",
  },
  {
    id: "the scheduler refuses a member where there is room",
    given: group(gang({ minMember: 2, pending: 2 })),
    fit: { members: 0, of: 2, shortOf: "nodes that the scheduler takes its members on" },
    refused: { uid: "u1", name: "a-1", message: "0/1 nodes are available: no zone." },
    expect: "InsufficientResources",
    says: "short of nodes that the scheduler takes its members on; no node for member a-1: 0/1",
  },
  {
    id: "a protected gang is ahead",
    given: group(gang({ pending: 1 })),
    ahead: { gang: "default/old", since: at(-300) },
    expect: "BehindInQueue",
    says: "waits behind gang default/old, which is kept from being passed since",
  },
  {
    id: "a policy of the cluster's own lets it wait",
    given: group(gang({ pending: 1 })),
    policy: { reason: "BudgetUsedUp", message: "until 18:00", askAgainSeconds: 30 },
    expect: "CustomPolicy",
    says: "gang default/a is kept waiting by policy BudgetUsedUp: until 18:00",
  },
  {
    id: "a policy of the cluster's own lets it wait for which pods would leave",
    given: group(gang({ pending: 1 })),
    fit: { members: 0, of: 1, leaving: { pods: 1, first: ["default/low"] } },
    policy: { message: "until 18:00", askAgainSeconds: 30 },
    expect: "CustomPolicy",
  },
  // The order of the rejections.
  {
    id: "order: a lack of room before a policy",
    given: group(gang({ pending: 1 })),
    fit: { members: 0, of: 1 },
    policy: { message: "until 18:00", askAgainSeconds: 30 },
    expect: "InsufficientResources",
  },
  {
    id: "order: a gang ahead before a policy",
    given: group(gang({ pending: 1 })),
    ahead: { gang: "default/old", since: at(-300) },
    policy: { message: "until 18:00", askAgainSeconds: 30 },
    expect: "BehindInQueue",
  },
  {
    id: "order: a problem before everything",
    given: group(gang({ minMember: 2, problem, parked: true })),
    before: [failed(1)],
    expect: "InvalidGang",
    says: 'min-available is "five"',
  },
  {
    id: "order: a problem of one gang before another gang that is parked",
    given: together(gang({ pending: 1, parked: true }), gang({ name: "b", pending: 1, problem })),
    expect: "InvalidGang",
  },
  {
    id: "order: parked before too few members",
    given: group(gang({ minMember: 2, parked: true })),
    expect: "Parked",
    says: "gang default/a timed out and is parked",
  },
  {
    id: "order: parked even with bound members",
    given: group(gang({ minMember: 2, running: 1, parked: true })),
    expect: "Parked",
  },
  {
    id: "order: too few members before a failed round",
    given: group(gang({ minMember: 2, pending: 1 })),
    before: [failed(1)],
    expect: "MembersMissing",
  },
  {
    id: "order: a failed round before a lack of room",
    given: group(gang({ minMember: 2, pending: 2 })),
    before: [failed(1)],
    fit: { members: 0, of: 2 },
    expect: "MemberUnschedulable",
  },
  {
    id: "order: a lack of room before a gang ahead",
    given: group(gang({ minMember: 2, pending: 2 })),
    fit: { members: 0, of: 2 },
    ahead: { gang: "default/old", since: at(-300) },
    expect: "InsufficientResources",
  },
];

/** Every row of prefilter. */
export const prefilterCases: readonly ConformanceCase[] = rows.map(
  ({ given, fit, refused, ahead, policy, expect, verdict, need, says = "", ...row }) => ({
    ...row,
    call: {
      stage: "prefilter",
      group: given,
      ...(fit && { fit }),
      ...(refused && { refused }),
      ...(ahead && { ahead }),
      ...(policy && { policy }),
    },
    check: (answer) => {
      const usual = allows.includes(expect) ? "allow" : "reject";
      assertObjectMatch({ ...answer }, { verdict: verdict ?? usual, reason: expect });
      assertEquals(answer.need, need ?? answer.need);
      assertStringIncludes(answer.message, says);
    },
  }),
);
