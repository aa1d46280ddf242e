/**
 * Gang groups that can do without some of their gangs, whichever stage is asked.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { Group, LeftOut, Loss, MemberFailure } from "../../../shared/core/gang/facts.ts";
import type { CompositeFacts } from "../../../shared/core/gang/topology.ts";
import { gang, type GangParts, pod, together } from "../../support/facts.ts";
import type { ConformanceCase } from "./conformance_case.ts";

/** A row of the table: of a composite of which two of three groups are needed, if nothing else is said. */
type Row = readonly [
  what: string,
  /** Gangs by name, each with a minMember of 2. */
  given: Readonly<Record<string, GangParts>>,
  asked: Asked,
  expect: Expected,
  more?: {
    readonly composites?: readonly CompositeFacts[] | "none";
    readonly leftOut?: readonly LeftOut[];
    /** What is said of gangs that are left out; absent: the answer does not speak of them. */
    readonly says?: Readonly<Record<string, string>>;
  },
];

/**
 * Which stage is asked: prefilter with room for so many of how many, postfilter where the scheduler refuses a member of gangs,
 * unreserve where a held one of them is lost, permit otherwise.
 */
interface Asked {
  readonly fit?: { readonly members: number; readonly of: number };
  readonly failed?: readonly string[];
  readonly lost?: readonly string[];
}

/** Verdict, reason, and uids of those that may bind, wait and go. */
type Expected = readonly [
  verdict: string,
  reason: string,
  allow?: string,
  wait?: string,
  reject?: string,
];

const ids = (...names: string[]) => names.map((name) => `default/${name}`);
const twoOfThree = [{ name: "all", min: 2, gangs: ids("a", "b", "c") }];
const oneOfThree = [{ name: "all", min: 1, gangs: ids("a", "b", "c") }];
const nested: CompositeFacts[] = [
  { name: "root", min: 1, gangs: [] },
  { name: "left", within: "root", gangs: ids("a", "b") },
  { name: "right", within: "root", min: 1, gangs: ids("c", "d") },
];
/** Of `mid` any of its two parts will do, and `inner` is one of them. */
const deep: CompositeFacts[] = [
  { name: "root", min: 1, gangs: ids("a") },
  { name: "mid", within: "root", min: 1, gangs: ids("b") },
  { name: "inner", within: "mid", gangs: ids("c") },
];
const gangOrPair: CompositeFacts[] = [
  { name: "root", min: 1, gangs: ids("a") },
  { name: "pair", within: "root", min: 2, gangs: ids("b", "c") },
];
/** Of the pair only one gang is there. */
const gangOrHalfPair = [gangOrPair[0]!, { ...gangOrPair[1]!, gangs: ids("b") }];
/** There is nothing but one gang of the pair. */
const halfPair = [{ ...gangOrPair[0]!, gangs: [] }, gangOrHalfPair[1]!];
const twoPairs: CompositeFacts[] = [
  { name: "root", min: 1, gangs: [] },
  { name: "left", within: "root", gangs: ids("a", "b") },
  { name: "right", within: "root", gangs: ids("c", "d") },
];

const whole = { pending: 2 };
const short = { pending: 1 };
const parked = { ...whole, parked: true };
const bad = { ...whole, problem: { reason: "Bad", message: "bad" } };
const held = (name: string) => ({ held: [`${name}0`, `${name}1`] });
const half = (name: string) => ({ held: [`${name}0`], pending: 1 });
const room = (members: number, of: number) => ({ fit: { members, of } });

const permit: Asked = {};

const rows: readonly Row[] = [
  ["as many gangs as it needs have their members", { a: whole, b: whole, c: short }, room(4, 4), [
    "allow",
    "Admitted",
  ]],
  ["one too few has its members", { a: whole, b: short, c: short }, room(2, 2), [
    "reject",
    "MembersMissing",
  ]],
  ["a gang with a problem is not needed", { a: bad, b: whole, c: whole }, room(4, 4), [
    "allow",
    "Admitted",
  ]],
  ["room for fewer than it needs", { a: whole, b: whole, c: whole }, room(3, 4), [
    "reject",
    "InsufficientResources",
  ]],
  [
    "a gang without room says what it lacks, one without members which",
    { a: { bound: 2 }, b: whole, c: short },
    room(0, 0),
    ["allow", "Satisfied"],
    {
      composites: oneOfThree,
      leftOut: [
        { part: "default/b", fit: { members: 1, of: 2, shortOf: "cpu" } },
        { part: "default/c" },
      ],
      says: {
        "default/b":
          'gang default/b needs room for 2 more members and finds it for 1: short of cpu; CompositePodGroup "all" starts with 1 of its 3 groups',
        "default/c": "gang default/c has 1 of 2 members: waiting for 1 more pod to be created",
      },
    },
  ],
  [
    "nothing is said of gangs where none is left out",
    { a: whole, b: whole, c: short },
    room(4, 4),
    ["allow", "Admitted"],
    { leftOut: [] },
  ],
  [
    "nothing is said of what is left out of a group without composites",
    { a: whole, b: whole },
    room(4, 4),
    ["allow", "Admitted"],
    { composites: "none", leftOut: [{ part: "default/b" }] },
  ],
  [
    "the only gang that is left out says what it lacks, and of what it is a part",
    { a: { bound: 2 }, b: whole, c: whole },
    room(0, 0),
    ["allow", "Satisfied"],
    {
      composites: gangOrPair,
      leftOut: [{ part: "default/c", fit: { members: 1, of: 2, shortOf: "cpu" } }],
      says: {
        "default/c":
          'gang default/c needs room for 2 more members and finds it for 1: short of cpu; CompositePodGroup "pair" starts with 2 of its 2 groups',
      },
    },
  ],
  [
    "gangs of a composite that lacks room wait for that, although one that it can do without has too few members",
    { a: { bound: 2 }, b: whole, c: short },
    room(0, 0),
    ["allow", "Satisfied"],
    {
      composites: deep,
      leftOut: [{ part: "mid", fit: { members: 0, of: 2 } }],
      says: Object.fromEntries(
        ids("b", "c").map((gang) => [
          gang,
          `gang ${gang} waits: CompositePodGroup "mid" needs room for 2 more members and finds it for 0; CompositePodGroup "root" starts with 1 of its 2 groups`,
        ]),
      ),
    },
  ],
  [
    "of two that have a gang that can not start, what is said is of the one that lacks less",
    { a: bad, b: whole, c: parked, d: half("d") },
    room(4, 4),
    ["reject", "Parked"],
    { composites: twoPairs },
  ],
  [
    "a composite of which all is held goes before a gang that is not",
    { a: half("a"), b: held("b"), c: held("c") },
    permit,
    ["allow", "Satisfied", "b0 b1 c0 c1", "a0"],
    { composites: gangOrPair },
  ],
  [
    "a gang goes before a composite of which a part is not there",
    { a: half("a"), b: held("b") },
    permit,
    ["wait", "WaitingForMembers", "", "a0 b0 b1"],
    { composites: gangOrHalfPair },
  ],
  [
    "a composite that has fewer parts than it needs waits for them",
    { b: whole },
    room(2, 2),
    ["reject", "GroupIncomplete"],
    { composites: halfPair },
  ],
  ["so it does where some of them run", { b: { bound: 2 } }, room(0, 0), [
    "reject",
    "GroupIncomplete",
  ], { composites: halfPair }],
  ["held members of such a composite go", { b: held("b") }, permit, [
    "reject",
    "GroupIncomplete",
    "",
    "",
    "b0 b1",
  ], { composites: halfPair }],
  ["as many gangs as it needs are held", { a: held("a"), b: held("b"), c: whole }, permit, [
    "allow",
    "Satisfied",
    "a0 a1 b0 b1",
  ]],
  [
    "a gang that is not whole is not bound in part",
    { a: held("a"), b: held("b"), c: half("c") },
    permit,
    ["allow", "Satisfied", "a0 a1 b0 b1", "c0"],
  ],
  ["one too few is held", { a: held("a"), b: half("b"), c: whole }, permit, [
    "wait",
    "WaitingForMembers",
    "",
    "a0 a1 b0",
  ]],
  [
    "PL-C9 a gang that is whole is not bound where what it is in can not be",
    { a: held("a"), b: short, c: held("c"), d: whole },
    permit,
    ["allow", "Satisfied", "c0 c1", "", "a0 a1"],
    { composites: nested },
  ],
  [
    "what it is in may still become whole",
    { a: held("a"), b: whole, c: held("c"), d: whole },
    permit,
    ["allow", "Satisfied", "c0 c1", "a0 a1"],
    { composites: nested },
  ],
  ["a gang that it can do without fails", { a: held("a"), b: whole, c: half("c") }, {
    failed: ["c"],
  }, ["wait", "WaitingForMembers", "", "a0 a1", "c0"]],
  ["one more fails than it can do without", { a: held("a"), b: half("b"), c: whole }, {
    failed: ["b", "c"],
  }, ["reject", "MemberUnschedulable", "", "", "a0 a1 b0"]],
  ["a gang that it can do without loses a member", { a: held("a"), b: held("b"), c: half("c") }, {
    lost: ["c"],
  }, ["allow", "Satisfied", "a0 a1 b0 b1", "", "c0"]],
];

/** Every row about composites. */
export const compositeCases: readonly ConformanceCase[] = rows.map(
  ([what, given, asked, expect, { composites = twoOfThree, leftOut, says } = {}]) => {
    const gangs = Object.entries(given).map(([name, parts]) =>
      gang({ name, minMember: 2, ...parts })
    );
    const group: Group = {
      ...together(...gangs),
      ...(composites !== "none" && { composites }),
      ...(leftOut && { leftOut }),
    };
    return {
      id: `composite: ${what}`,
      call: callOf(group, asked),
      check: (answer) => check(answer, { expect, says }),
    };
  },
);

function callOf(group: Group, { fit, failed, lost }: Asked): ConformanceCase["call"] {
  if (fit) return { stage: "prefilter", group, fit };
  if (failed) return { stage: "postfilter", group, failed: failed.map(refused) };
  return lost ? { stage: "unreserve", group, lost: lost.map(gone) } : { stage: "permit", group };
}

function gone(name: string): Loss {
  return { pod: pod(`${name}9`), cause: "aborted", gang: `default/${name}` };
}

function refused(name: string): MemberFailure {
  return { uid: `${name}9`, message: "no", gang: `default/${name}` };
}

function check(
  answer: Admission | Decision,
  { expect, says }: { expect: Expected; says: Readonly<Record<string, string>> | undefined },
): void {
  const uids = (name: "allow" | "wait" | "reject") =>
    name in answer ? [...(answer as Decision)[name]].sort().join(" ") : "";
  const [verdict, reason, allow = "", wait = "", reject = ""] = expect;
  assertEquals(
    [answer.verdict, answer.reason, uids("allow"), uids("wait"), uids("reject")],
    [verdict, reason, allow, wait, reject],
  );
  const { leftOut } = answer;
  const told = Object.entries(leftOut ?? {}).map(([id, { message }]) => [id, message]);
  assertEquals(leftOut && Object.fromEntries(told), says);
}
