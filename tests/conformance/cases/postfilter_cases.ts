/**
 * PostFilter, as sections D and G of the scenarios and the seeds state it.
 *
 * @module
 */
import type { Decision } from "../../../shared/core/stage/decision.ts";
import type { Group, MemberFailure } from "../../../shared/core/gang/facts.ts";
import { gang, group, together } from "../../support/facts.ts";
import {
  checkDecision,
  type Circumstances,
  type ConformanceCase,
  type Earlier,
  type Expected,
} from "./conformance_case.ts";

interface Row extends Circumstances, Expected {
  readonly given: Group;
  /** Who failed, or how many; default 1. */
  readonly failed?: number | readonly MemberFailure[];
}

const noRoom = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";

const failedBefore: Earlier = {
  secondsAgo: 1,
  call: {
    stage: "postfilter",
    group: group(gang({ minMember: 2, held: 1, pending: 1 })),
    failed: [{ uid: "uid-first", name: "first", message: "root" }],
  },
};

const rows: Row[] = [
  // Section D.
  {
    id: "SP-RJ-2 minMember 1, 1 bound, another fails",
    given: group(gang({ minMember: 1, bound: 1, pending: 1 })),
    expect: "allow",
  },
  {
    id: "SP-RJ-2 minMember 1, 1 held, another fails",
    given: group(gang({ minMember: 1, held: 1, pending: 1 })),
    expect: "allow",
  },
  {
    id: "SP-RJ-3 minMember 2, 1 held, the second fails",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    expect: "reject",
    reason: "MemberUnschedulable",
  },
  {
    id: "SP-RJ-6 9 of 10 held, the tenth fails",
    given: group(gang({ minMember: 10, held: 9, pending: 1 })),
    expect: "reject",
    reason: "MemberUnschedulable",
  },
  {
    id: "SP-RJ-5 8 of 10 held, another fails",
    given: group(gang({ minMember: 10, held: 8, pending: 2 })),
    expect: "reject",
    reason: "MemberUnschedulable",
  },
  {
    id: "SP-RJ-9 4 of 10 held, another fails",
    given: group(gang({ minMember: 10, held: 4, pending: 6 })),
    expect: "reject",
    reason: "MemberUnschedulable",
  },
  {
    id: "SP-RJ-7 0 of 10 held, where a failure lets nobody go",
    given: group(gang({ minMember: 10, pending: 10 })),
    settings: { memberFailure: "let-nobody-go" },
    expect: "wait",
  },
  {
    id: "a spare member may still come",
    given: group(gang({ minMember: 2, held: 1, pending: 2 })),
    expect: "wait",
    reason: "WaitingForMembers",
  },
  {
    id: "too few of the spare members may still come",
    given: group(gang({ minMember: 3, held: 1, pending: 3 })),
    failed: 2,
    expect: "reject",
    reason: "MemberUnschedulable",
    says: "no node for member f-0 and 1 more: 0/2 nodes are available",
  },
  {
    id: "S4 succeeded members still count towards quorum",
    given: group(gang({ minMember: 3, held: 1, succeeded: 2, pending: 1 })),
    expect: "allow",
  },
  {
    id: "S4 a gang that its succeeded members and one more make whole may wait for that one",
    given: group(gang({ minMember: 4, held: 1, succeeded: 2, pending: 2 })),
    expect: "wait",
  },
  {
    id: "no member fails",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    failed: [],
    expect: "wait",
  },
  {
    id: "S0 S1 profile sigs lets nobody go",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    profile: "sigs",
    expect: "wait",
  },
  // Section G.
  {
    id: "KO-PO-2 once satisfied",
    given: group(gang({ minMember: 3, running: 1, held: 1, pending: 1 })),
    expect: "allow",
  },
  {
    id: "KO-PO-3 once satisfied, but only-waiting",
    given: group(
      gang({ minMember: 3, running: 3, held: 1, pending: 1, matchPolicy: "only-waiting" }),
    ),
    expect: "reject",
    reason: "MemberUnschedulable",
  },
  {
    id: "KO-PO-4 NonStrict",
    given: group(gang({ minMember: 3, held: 2, pending: 1, mode: "NonStrict" })),
    expect: "wait",
  },
  {
    id: "KO-PO-5 Strict: the held members of the whole group are let go",
    given: together(
      gang({ minMember: 2, held: ["x", "y"] }),
      gang({ name: "b", minMember: 2, held: ["z"], pending: 1 }),
    ),
    failed: [{ uid: "w", gang: "default/b", message: noRoom }],
    expect: "reject",
    reason: "MemberUnschedulable",
    says: "gang default/b can not become whole: no node for member w",
  },
  {
    id: "KO-PO-5 a failure counts against its own gang only",
    given: together(
      gang({ minMember: 2, held: ["x"], pending: 1 }),
      gang({ name: "b", minMember: 1, held: ["z"], pending: 1 }),
    ),
    failed: [{ uid: "w", gang: "default/b", message: noRoom }],
    expect: "wait",
  },
  {
    id: "KO-PC-2 KO-PC-4 the first failure of a round stays its reason",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    before: [failedBefore],
    expect: "reject",
    says: "no node for member first: root",
  },
];

/** So many members that no node can take. */
export function failures(count: number): MemberFailure[] {
  return Array.from({ length: count }, (_, index) => ({
    uid: `uid-${index}`,
    name: `f-${index}`,
    message: noRoom,
  }));
}

/** Every row of postfilter. */
export const postfilterCases: readonly ConformanceCase[] = rows.map(
  ({ given, failed = 1, ...row }) => ({
    ...row,
    call: {
      stage: "postfilter",
      group: given,
      failed: typeof failed === "number" ? failures(failed) : failed,
    },
    check: (answer) => checkDecision(answer as Decision, { given, ...row }),
  }),
);
