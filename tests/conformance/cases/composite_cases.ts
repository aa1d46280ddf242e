/**
 * Gang groups that can do without some of their gangs, whichever stage is asked.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { Group, LeftOut, Loss } from "../../../shared/core/gang/facts.ts";
import type { CompositeFacts } from "../../../shared/core/gang/topology.ts";
import { gang, type GangParts, pod, together } from "../../support/facts.ts";
import type { Circumstances, ConformanceCase } from "./conformance_case.ts";

/** Gangs by name, each with a minMember of 2 if nothing else is said. */
interface Row extends Circumstances {
  readonly given: Record<string, GangParts>;
  readonly composites: readonly CompositeFacts[];
  readonly leftOut?: readonly LeftOut[];
  /** Gangs of which the scheduler refuses a member: postfilter is asked. */
  readonly failed?: readonly string[];
  /** Gangs of which a held member is lost: unreserve is asked. */
  readonly lost?: readonly string[];
  /** Room for so many of how many: prefilter is asked. */
  readonly fit?: { members: number; of: number };
  /** Verdict, reason, and uids of those that may bind, wait and go. */
  readonly expect: readonly [
    verdict: string,
    reason: string,
    allow?: string,
    wait?: string,
    reject?: string,
  ];
  /** What is said of gangs that are left out. */
  readonly says?: Record<string, string>;
}

const ids = (...names: string[]) => names.map((name) => `default/${name}`);
const twoOfThree = [{ name: "all", min: 2, gangs: ids("a", "b", "c") }];
const held = (name: string) => ({ held: [`${name}0`, `${name}1`] });
const nested: CompositeFacts[] = [
  { name: "root", min: 1, gangs: [] },
  { name: "left", within: "root", gangs: ids("a", "b") },
  { name: "right", within: "root", min: 1, gangs: ids("c", "d") },
];

const rows: readonly Row[] = [
  {
    id: "composite: as many gangs as it needs have their members",
    given: { a: { pending: 2 }, b: { pending: 2 }, c: { pending: 1 } },
    composites: twoOfThree,
    fit: { members: 4, of: 4 },
    expect: ["allow", "Admitted"],
  },
  {
    id: "composite: one too few has its members",
    given: { a: { pending: 2 }, b: { pending: 1 }, c: { pending: 1 } },
    composites: twoOfThree,
    fit: { members: 2, of: 2 },
    expect: ["reject", "MembersMissing"],
  },
  {
    id: "composite: a gang with a problem is not needed",
    given: {
      a: { pending: 2, problem: { reason: "Bad", message: "bad" } },
      b: { pending: 2 },
      c: { pending: 2 },
    },
    composites: twoOfThree,
    fit: { members: 4, of: 4 },
    expect: ["allow", "Admitted"],
  },
  {
    id: "composite: room for fewer than it needs",
    given: { a: { pending: 2 }, b: { pending: 2 }, c: { pending: 2 } },
    composites: twoOfThree,
    fit: { members: 3, of: 4 },
    expect: ["reject", "InsufficientResources"],
  },
  {
    id: "composite: a gang without room says what it lacks, one without members which",
    given: { a: { bound: 2 }, b: { pending: 2 }, c: { pending: 1 } },
    composites: [{ name: "all", min: 1, gangs: ids("a", "b", "c") }],
    leftOut: [{ part: "default/b", fit: { members: 1, of: 2, shortOf: "cpu" } }, {
      part: "default/c",
    }],
    fit: { members: 0, of: 0 },
    expect: ["allow", "Satisfied"],
    says: {
      "default/b":
        'gang default/b needs room for 2 more members and finds it for 1: short of cpu; CompositePodGroup "all" starts with 1 of its 3 groups',
      "default/c": "gang default/c has 1 of 2 members: waiting for 1 more pod to be created",
    },
  },
  {
    id: "composite: as many gangs as it needs are held",
    given: { a: held("a"), b: held("b"), c: { pending: 2 } },
    composites: twoOfThree,
    expect: ["allow", "Satisfied", "a0 a1 b0 b1"],
  },
  {
    id: "composite: a gang that is not whole is not bound in part",
    given: { a: held("a"), b: held("b"), c: { held: ["c0"], pending: 1 } },
    composites: twoOfThree,
    expect: ["allow", "Satisfied", "a0 a1 b0 b1", "c0"],
  },
  {
    id: "composite: one too few is held",
    given: { a: held("a"), b: { held: ["b0"], pending: 1 }, c: { pending: 2 } },
    composites: twoOfThree,
    expect: ["wait", "WaitingForMembers", "", "a0 a1 b0"],
  },
  {
    id: "composite: PL-C9 a gang that is whole is not bound where what it is in can not be",
    given: { a: held("a"), b: { pending: 1 }, c: held("c"), d: { pending: 2 } },
    composites: nested,
    expect: ["allow", "Satisfied", "c0 c1", "", "a0 a1"],
  },
  {
    id: "composite: what it is in may still become whole",
    given: { a: held("a"), b: { pending: 2 }, c: held("c"), d: { pending: 2 } },
    composites: nested,
    expect: ["allow", "Satisfied", "c0 c1", "a0 a1"],
  },
  {
    id: "composite: a gang that it can do without fails",
    given: { a: held("a"), b: { pending: 2 }, c: { held: ["c0"], pending: 1 } },
    composites: twoOfThree,
    failed: ["c"],
    expect: ["wait", "WaitingForMembers", "", "a0 a1", "c0"],
  },
  {
    id: "composite: one more fails than it can do without",
    given: { a: held("a"), b: { held: ["b0"], pending: 1 }, c: { pending: 2 } },
    composites: twoOfThree,
    failed: ["b", "c"],
    expect: ["reject", "MemberUnschedulable", "", "", "a0 a1 b0"],
  },
  {
    id: "composite: a gang that it can do without loses a member",
    given: { a: held("a"), b: held("b"), c: { held: ["c0"], pending: 1 } },
    composites: twoOfThree,
    lost: ["c"],
    expect: ["allow", "Satisfied", "a0 a1 b0 b1", "", "c0"],
  },
];

/** Every row about composites. */
export const compositeCases: readonly ConformanceCase[] = rows.map((row) => {
  const { given, composites, leftOut, failed, lost, fit, ...circumstances } = row;
  const gangs = Object.entries(given).map(([name, parts]) =>
    gang({ name, minMember: 2, ...parts })
  );
  const told: Group = { ...together(...gangs), composites, ...(leftOut && { leftOut }) };
  const gone = (name: string): Loss => ({
    pod: pod(`${name}9`),
    cause: "aborted",
    gang: `default/${name}`,
  });
  const refused = (name: string) => ({ uid: `${name}9`, message: "no", gang: `default/${name}` });
  return {
    ...circumstances,
    call: fit
      ? { stage: "prefilter", group: told, fit }
      : failed
      ? { stage: "postfilter", group: told, failed: failed.map(refused) }
      : lost
      ? { stage: "unreserve", group: told, lost: lost.map(gone) }
      : { stage: "permit", group: told },
    check: (answer) => check(answer, row),
  };
});

function check(
  answer: Admission | Decision,
  { expect, says }: Pick<Row, "expect" | "says">,
): void {
  const uids = (name: "allow" | "wait" | "reject") =>
    name in answer ? [...(answer as Decision)[name]].sort().join(" ") : "";
  const [verdict, reason, allow = "", wait = "", reject = ""] = expect;
  assertEquals(
    [answer.verdict, answer.reason, uids("allow"), uids("wait"), uids("reject")],
    [verdict, reason, allow, wait, reject],
  );
  const told = Object.entries(answer.leftOut ?? {}).map(([id, { message }]) => [id, message]);
  assertEquals(Object.fromEntries(told), says ?? {});
}
