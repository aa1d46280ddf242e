/**
 * Permit, as sections B and G of the scenarios and the seeds state it.
 *
 * @module
 */
import type { Decision } from "../../../shared/core/stage/decision.ts";
import type { Group } from "../../../shared/core/gang/facts.ts";
import { gang, group, pod, together } from "../../support/facts.ts";
import {
  checkDecision,
  type Circumstances,
  type ConformanceCase,
  type Earlier,
  type Expected,
} from "./conformance_case.ts";

interface Row extends Circumstances, Expected {
  readonly given: Group;
}

const noPodGroup = {
  reason: "PodGroupNotFound",
  message: 'gang default/a waits for its PodGroup: create one named "a", of scheduling.sigs.k8s.io',
};

const lostAMember: Earlier = {
  secondsAgo: 1,
  call: {
    stage: "unreserve",
    group: group(gang({ minMember: 2, held: 1, pending: 1 })),
    lost: [{ pod: pod("a-1"), cause: "aborted" }],
  },
};

/** A first member is held, of a gang that waits 30 s. */
function heldFor(secondsAgo: number): Earlier {
  const first = group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 30 }));
  return { secondsAgo, call: { stage: "permit", group: first } };
}

const twoOfAGroup = together(
  gang({ minMember: 2, held: ["x", "y"] }),
  gang({ name: "b", minMember: 2, held: ["z"], pending: 1 }),
);

const rows: Row[] = [
  // Section B.
  {
    id: "SP-PM-3 minMember 2, first member",
    given: group(gang({ minMember: 2, pending: 1, held: 1 })),
    expect: "wait",
    need: 1,
    says: "gang default/a holds 1 member and waits for 1 more to find a node",
  },
  {
    id: "SP-PM-4 minMember 2, another member bound",
    given: group(gang({ minMember: 2, bound: 1, held: 1 })),
    expect: "allow",
  },
  {
    id: "SP-PM-4 the same in profile sigs",
    given: group(gang({ minMember: 2, bound: 1, held: 1 })),
    profile: "sigs",
    expect: "allow",
  },
  {
    id: "SP-PM-5 minMember 3, first member",
    given: group(gang({ minMember: 3, pending: 2, held: 1 })),
    expect: "wait",
    need: 2,
  },
  { id: "SP-PM-6 minMember 1", given: group(gang({ held: 1 })), expect: "allow" },
  {
    id: "SP-PM-2 KO-PM-2 its PodGroup does not exist",
    given: group(gang({ minMember: 2, held: 2, problem: noPodGroup })),
    expect: "reject",
    reason: "InvalidGang",
    says: "gang default/a waits for its PodGroup",
  },
  // Section G.
  {
    id: "KO-PM-3 minMember 3, second member",
    given: group(gang({ minMember: 3, pending: 1, held: 2 })),
    expect: "wait",
    need: 1,
  },
  {
    id: "KO-PM-4 BUG-10 once satisfied",
    given: group(gang({ minMember: 3, running: 1, held: 1 })),
    expect: "allow",
  },
  {
    id: "KO-PM-4 BUG-10 once satisfied is not the rule of profile sigs",
    given: group(gang({ minMember: 3, running: 1, held: 1 })),
    profile: "sigs",
    expect: "wait",
    need: 1,
  },
  {
    id: "KO-PM-5 once satisfied, but only-waiting",
    given: group(gang({ minMember: 3, running: 2, held: 1, matchPolicy: "only-waiting" })),
    expect: "wait",
    need: 2,
  },
  {
    id: "KO-PM-6 2 waiting and 1 running, only-waiting",
    given: group(gang({ minMember: 3, running: 1, held: 2, matchPolicy: "only-waiting" })),
    expect: "wait",
    need: 1,
  },
  {
    id: "KO-PM-7 2 waiting and 1 running, waiting-and-running",
    given: group(gang({ minMember: 3, running: 1, held: 2, matchPolicy: "waiting-and-running" })),
    expect: "allow",
  },
  {
    id: "KO-PM-8 minMember 3, third member",
    given: group(gang({ minMember: 3, held: 3 })),
    expect: "allow",
    reason: "Satisfied",
  },
  {
    id: "KO-PM-8 only-waiting, third member",
    given: group(gang({ minMember: 3, held: 3, matchPolicy: "only-waiting" })),
    expect: "allow",
  },
  {
    id: "KO-PM-9 group of C with 2 of 2 and D with 1 of 2",
    given: together(
      gang({ name: "c", minMember: 2, held: 2 }),
      gang({ name: "d", minMember: 2, held: 1, pending: 1 }),
    ),
    expect: "wait",
    need: 1,
    says: "gang group default/c, default/d holds 3 members",
  },
  {
    id: "KO-PM-10 group of E with 2 of 2 and F with 3 of 3",
    given: together(
      gang({ name: "e", minMember: 2, held: 2 }),
      gang({ name: "f", minMember: 3, held: 3 }),
    ),
    expect: "allow",
  },
  {
    id: "KO-PM-9 a gang of the group that nobody has reported",
    given: group(gang({ held: 1, groups: ["default/a", "default/b"] })),
    expect: "reject",
    reason: "GroupIncomplete",
  },
  {
    id: "BUG-9 gangs of the same name in two namespaces are two gangs",
    given: together(
      gang({ minMember: 2, held: ["x", "y"] }),
      gang({ namespace: "other", minMember: 2, held: ["z"], pending: 1 }),
    ),
    expect: "wait",
  },
  {
    id: "BUG-14 S4 succeeded members count when fewer than minMember could come otherwise",
    given: group(gang({ minMember: 3, succeeded: 2, held: 1 })),
    expect: "allow",
  },
  {
    id: "BUG-14 S4 succeeded members do not count while enough others may come",
    given: group(gang({ minMember: 3, succeeded: 2, held: 1, pending: 2 })),
    expect: "wait",
    need: 2,
  },
  {
    id: "BUG-12 a member whose binding got through counts once, as bound",
    given: group(gang({ minMember: 3, bound: 1, held: 1, pending: 1 })),
    profile: "sigs",
    expect: "wait",
    need: 1,
  },
  {
    id: "BUG-11 members deleted while waiting do not count any more",
    given: group(gang({ minMember: 3, held: 2, terminating: 1 })),
    expect: "reject",
    reason: "MembersMissing",
  },
  {
    id: "members of another scheduler are not waited for",
    given: group(gang({
      minMember: 3,
      held: 2,
      foreign: 1,
      stray: { pod: "a-2", scheduler: "volcano", served: ["muster"] },
    })),
    expect: "reject",
    reason: "SchedulerMismatch",
  },
  {
    id: "a declaration that is not usable",
    given: group(gang({ held: 1, problem: { reason: "InvalidMinMember", message: "bad" } })),
    expect: "reject",
    reason: "InvalidGang",
    says: "bad",
  },
  {
    id: "a parked gang, whole or not",
    given: group(gang({ held: 1, parked: true })),
    expect: "reject",
    reason: "Parked",
  },
  {
    id: "NonStrict keeps waiting with too few members",
    given: group(gang({ minMember: 3, held: 1, mode: "NonStrict" })),
    expect: "wait",
  },
  {
    id: "NonStrict with a parked gang",
    given: group(gang({ minMember: 3, held: 1, mode: "NonStrict", parked: true })),
    expect: "reject",
    reason: "Parked",
  },
  {
    id: "NonStrict, of a group that names a gang which nobody has reported",
    given: group(
      gang({ minMember: 2, held: 2, mode: "NonStrict", groups: ["default/a", "default/b"] }),
    ),
    expect: "reject",
    reason: "GroupIncomplete",
  },
  {
    id: "a round that failed a moment ago stays closed",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    before: [lostAMember],
    expect: "reject",
    reason: "MemberLost",
    says: "lost",
  },
  {
    id: "a whole gang binds although its last round failed a moment ago",
    given: group(gang({ minMember: 2, held: 2 })),
    before: [lostAMember],
    expect: "allow",
  },
  {
    id: "past the deadline",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    before: [heldFor(30)],
    expect: "reject",
    reason: "TimedOut",
    says: "gang default/a was let go: not all of its members found a node within 30 s",
  },
  {
    id: "KO-UR-1 past the deadline of a group every held member goes, also of a gang that is whole",
    given: twoOfAGroup,
    before: [{ secondsAgo: 60, call: { stage: "permit", group: twoOfAGroup } }],
    expect: "reject",
    reason: "TimedOut",
  },
  {
    id: "BUG-7 a wait of more than 15 minutes",
    given: group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 7200 })),
    before: [{
      secondsAgo: 3600,
      call: {
        stage: "permit",
        group: group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 7200 })),
      },
    }],
    expect: "wait",
    need: 1,
  },
  {
    id: "quorum at the deadline is still quorum",
    given: group(gang({ minMember: 2, held: 2 })),
    before: [heldFor(31)],
    expect: "allow",
  },
];

/** Every row of permit. */
export const permitCases: readonly ConformanceCase[] = rows.map(({ given, ...row }) => ({
  ...row,
  call: { stage: "permit", group: given },
  check: (answer) => checkDecision(answer as Decision, { given, ...row }),
}));
