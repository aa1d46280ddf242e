/**
 * Unreserve, as sections G and K of the scenarios and the seeds state it.
 *
 * @module
 */
import type { Decision } from "../../../shared/core/stage/decision.ts";
import type { Group, Loss } from "../../../shared/core/gang/facts.ts";
import { gang, group, pod, together } from "../../support/facts.ts";
import {
  checkDecision,
  type Circumstances,
  type ConformanceCase,
  type Expected,
} from "./conformance_case.ts";

interface Row extends Circumstances, Expected {
  readonly given: Group;
  /** Default: `aborted`. */
  readonly cause?: Loss["cause"];
  /** The gang of the lost member, in a group of several. */
  readonly of?: string;
}

const rows: Row[] = [
  {
    id: "S0 S1 before quorum every held member goes",
    given: group(gang({ minMember: 3, held: 1, pending: 2 })),
    expect: "reject",
    reason: "MemberLost",
    says: "gang default/a lost its held member lost: the scheduler took its bind call back",
  },
  {
    id: "S0 S1 the same in profile sigs",
    given: group(gang({ minMember: 3, held: 1, pending: 2 })),
    profile: "sigs",
    expect: "reject",
    reason: "MemberLost",
  },
  {
    id: "Strict: every held member of the group goes",
    given: together(
      gang({ minMember: 2, held: ["x", "y"] }),
      gang({ name: "b", minMember: 2, held: ["z"], pending: 1 }),
    ),
    of: "default/b",
    expect: "reject",
    says: "gang default/b lost",
  },
  {
    id: "satisfied without the lost one",
    given: group(gang({ minMember: 2, held: 2, pending: 1 })),
    expect: "allow",
  },
  {
    id: "BUG-13 a bind fails after release: siblings that are bound keep the gang satisfied",
    given: group(gang({ minMember: 3, bound: 2, held: 0, pending: 1 })),
    cause: "bind-failed",
    expect: "allow",
  },
  {
    id: "BUG-13 in profile sigs the held siblings go while quorum is missing",
    given: group(gang({ minMember: 4, bound: 2, held: 1, pending: 1 })),
    cause: "bind-failed",
    profile: "sigs",
    expect: "reject",
    says: "the API server refused its binding",
  },
  {
    id: "BUG-11 a held member is deleted",
    given: group(gang({ minMember: 2, held: 1, terminating: 1 })),
    cause: "deleted",
    expect: "reject",
    says: "the pod was deleted",
  },
  {
    id: "NonStrict: only what was lost",
    given: group(gang({ minMember: 3, held: 1, pending: 2, mode: "NonStrict" })),
    expect: "wait",
  },
  {
    id: "a loss in another gang of the group that stays satisfied",
    given: together(
      gang({ minMember: 1, held: ["x"] }),
      gang({ name: "b", minMember: 2, held: ["z"], pending: 1 }),
    ),
    of: "default/a",
    expect: "wait",
  },
  {
    id: "the last held member is lost: nobody is left to go",
    given: group(gang({ minMember: 2, pending: 2 })),
    expect: "wait",
  },
];

/** Every row of unreserve. */
export const unreserveCases: readonly ConformanceCase[] = rows.map(
  ({ given, cause = "aborted", of, ...row }) => ({
    ...row,
    call: {
      stage: "unreserve",
      group: given,
      lost: [{ pod: pod("lost"), cause, ...(of && { gang: of }) }],
    },
    check: (answer) => checkDecision(answer as Decision, { given, ...row }),
  }),
);
