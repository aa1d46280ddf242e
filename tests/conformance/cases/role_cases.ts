/**
 * Gangs whose roles have a minimum of their own, whichever stage is asked.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Admission, Decision } from "../../../shared/core/stage/decision.ts";
import type { MemberFailure } from "../../../shared/core/gang/facts.ts";
import { gangOfRoles, group, type RoleParts } from "../../support/facts.ts";
import type { Circumstances, ConformanceCase, Earlier, Expected } from "./conformance_case.ts";

type Roles = Record<string, RoleParts>;

interface AdmissionRow extends Circumstances {
  readonly given: Roles;
  readonly fit?: { members: number; of: number };
  readonly expect: Admission["reason"];
  readonly need?: number;
  readonly says?: string;
}

interface DecisionRow extends Circumstances, Omit<Expected, "expect"> {
  readonly given: Roles;
  /** Members that the scheduler refuses: postfilter is asked. */
  readonly failed?: readonly Pick<MemberFailure, "uid" | "role">[];
  readonly verdict: Decision["verdict"];
  /** Uids of those that may bind, have to wait and are let go. */
  readonly allow?: readonly string[];
  readonly wait?: readonly string[];
  readonly reject?: readonly string[];
}

const admissions: AdmissionRow[] = [
  {
    id: "role: a gang has members enough, but not of one role",
    given: { ps: { min: 2, pending: 1 }, worker: { min: 2, pending: 5 } },
    expect: "MembersMissing",
    need: 1,
    says: "gang default/a has 1 of 2 members of role ps: waiting for 1 more pod to be created",
  },
  {
    id: "role: more than one lacks members",
    given: { ps: { min: 2, pending: 1 }, worker: { min: 2, pending: 1 } },
    expect: "MembersMissing",
    need: 2,
    says: "gang default/a has 2 of 4 members: waiting for 2 more pods to be created",
  },
  {
    id: "role: foreign gates keep one from its minimum",
    given: { ps: { min: 2, pending: 1, gated: 1 }, worker: { min: 2, pending: 3 } },
    expect: "MembersGated",
    need: 1,
    says: "gang default/a has 1 of 2 members of role ps ready",
  },
  {
    id: "role: every one has its members",
    given: { ps: { min: 1, pending: 1 }, worker: { min: 2, pending: 2 } },
    fit: { members: 3, of: 3 },
    expect: "Admitted",
  },
  {
    id: "role: PL-C14 room for fewer than all roles need",
    given: { sub0: { min: 1, pending: 2 }, sub1: { min: 2, pending: 2 } },
    fit: { members: 2, of: 3 },
    expect: "InsufficientResources",
    says: "gang default/a needs room for 3 more members and finds it for 2",
  },
  {
    id: "role: PL-C18 an optional one needs nobody",
    given: { needed: { min: 1, pending: 1 }, optional: { min: 0, pending: 2 } },
    fit: { members: 1, of: 1 },
    expect: "Admitted",
  },
  {
    id: "role: PL-C13 one that is whole does not help another that is not",
    given: { sub0: { min: 2, bound: 2, pending: 1 }, sub1: { min: 2, pending: 2 } },
    fit: { members: 1, of: 2 },
    expect: "InsufficientResources",
    says: "needs room for 2 more members and finds it for 1",
  },
  {
    id: "role: one whose members are all gone keeps no member of others from a gang that runs",
    given: { ps: { min: 1 }, worker: { min: 2, bound: 1, pending: 1 } },
    expect: "Degraded",
    says: "gang default/a runs with 1 of 3 members: 1 more waits for a node, the others are gone",
  },
  {
    id: "role: of one that has lost members that is told, however many there are of another",
    given: { ps: { min: 2, bound: 1, pending: 1 }, worker: { min: 2, bound: 5 } },
    expect: "Degraded",
    says: "gang default/a runs with 1 of 2 members of role ps: 1 more waits for a node",
  },
  {
    id: "role: of those within another as many are enough as it says",
    given: { decode: { min: 1 }, "decode/a": { min: 3, pending: 3 }, "decode/b": { min: 2 } },
    fit: { members: 3, of: 3 },
    expect: "Admitted",
  },
  {
    id: "role: another needs all that are within it where it says nothing",
    given: { "decode/a": { min: 3, pending: 3 }, "decode/b": { min: 2, pending: 1 } },
    expect: "MembersMissing",
    need: 1,
    says: "gang default/a has 1 of 2 members of role decode/b",
  },
  {
    id: "role: one that only the path of others names is whole by all that are within it",
    given: {
      a: { min: 1 },
      "a/x/p": { min: 2, pending: 2 },
      "a/x/q": { min: 2, pending: 2 },
      "a/y": { min: 5 },
    },
    fit: { members: 4, of: 4 },
    expect: "Admitted",
  },
];

const decisions: DecisionRow[] = [
  {
    id: "role: members enough are held, but not of one role",
    given: { ps: { min: 1, pending: 1 }, worker: { min: 2, held: ["w-0", "w-1", "w-2"] } },
    verdict: "wait",
    wait: ["w-0", "w-1", "w-2"],
    need: 1,
  },
  {
    id: "role: PL-C12 one of each is held",
    given: {
      sub0: { min: 1, held: ["x"], pending: 1 },
      sub1: { min: 1, held: ["y"], pending: 1 },
    },
    verdict: "allow",
    allow: ["x", "y"],
  },
  {
    id: "role: PL-C18 without the optional one",
    given: { needed: { min: 1, held: ["x"] }, optional: { min: 0, pending: 2 } },
    verdict: "allow",
    allow: ["x"],
  },
  {
    id: "role: PL-C13 the second of a running gang waits for its own minimum",
    given: { sub0: { min: 2, bound: 2 }, sub1: { min: 2, held: ["x"], pending: 1 } },
    verdict: "wait",
    wait: ["x"],
    need: 1,
  },
  {
    id: "role: a member of one that runs needs no others",
    given: { sub0: { min: 2, bound: 1, held: ["x"] }, sub1: { min: 2, bound: 2 } },
    verdict: "allow",
    allow: ["x"],
  },
  {
    id: "role: one that is not needed binds whole or not at all",
    given: {
      decode: { min: 1 },
      "decode/a": { min: 2, held: ["a-0", "a-1"] },
      "decode/b": { min: 2, held: ["b-0"], pending: 1 },
    },
    verdict: "allow",
    allow: ["a-0", "a-1"],
    wait: ["b-0"],
    says: "gang default/a is satisfied; 1 held member of it can not bind without others",
  },
  {
    id: "role: one that is not needed is let go when its wait is over",
    given: {
      decode: { min: 1 },
      "decode/a": { min: 2, bound: 2 },
      "decode/b": { min: 2, held: ["b-0"], pending: 1 },
    },
    before: [heldAlone(61)],
    verdict: "allow",
    reject: ["b-0"],
  },
  {
    id: "role: one that is not needed is let go when too few of it are left",
    given: {
      decode: { min: 1 },
      "decode/a": { min: 2, held: ["a-0", "a-1"] },
      "decode/b": { min: 2, held: ["b-0"] },
    },
    verdict: "allow",
    allow: ["a-0", "a-1"],
    reject: ["b-0"],
  },
  {
    id: "role: one that is not needed is let go when too few of it find a node",
    given: {
      decode: { min: 1 },
      "decode/a": { min: 2, bound: 2 },
      "decode/b": { min: 2, held: ["b-0"], pending: 1 },
    },
    failed: [{ uid: "b-1", role: "decode/b" }],
    verdict: "allow",
    reject: ["b-0"],
  },
  {
    id: "role: one that is not needed waits while others of it may find a node",
    given: {
      decode: { min: 1 },
      "decode/a": { min: 2, bound: 2 },
      "decode/b": { min: 2, held: ["b-0"], pending: 2 },
    },
    failed: [{ uid: "b-1", role: "decode/b" }],
    verdict: "allow",
    wait: ["b-0"],
  },
  {
    id: "role: the second of a running gang is let go when too few of it find a node",
    given: {
      sub0: { min: 2, bound: 1 },
      sub1: { min: 2, held: ["x"], pending: 1 },
      sub2: { min: 1, pending: 1 },
    },
    failed: [{ uid: "y", role: "sub1" }],
    verdict: "reject",
    reject: ["x"],
    reason: "MemberUnschedulable",
  },
  {
    id: "role: the second of a running gang waits while others of it may find a node",
    given: { sub0: { min: 2, bound: 1 }, sub1: { min: 2, held: ["x"], pending: 2 } },
    failed: [{ uid: "y", role: "sub1" }],
    verdict: "wait",
    wait: ["x"],
  },
  {
    id: "role: members enough have a node, but others than are needed, when their wait is over",
    given: { ps: { min: 1, pending: 1 }, worker: { min: 2, held: ["w-0", "w-1", "w-2"] } },
    before: [heldWithout(61)],
    verdict: "reject",
    reject: ["w-0", "w-1", "w-2"],
    reason: "TimedOut",
    says: "not all of its members found a node within 60 s, only 2 of 3",
  },
  {
    id: "role: PL-P31 the only member of one fails, and others can not stand for it",
    given: { ps: { min: 1, pending: 1 }, worker: { min: 2, held: ["w-0", "w-1", "w-2"] } },
    failed: [{ uid: "ps-0", role: "ps" }],
    verdict: "reject",
    reject: ["w-0", "w-1", "w-2"],
    reason: "MemberUnschedulable",
  },
  {
    id: "role: a member fails of one that has others",
    given: { ps: { min: 1, pending: 1 }, worker: { min: 2, held: ["w-0", "w-1"], pending: 1 } },
    failed: [{ uid: "w-2", role: "worker" }],
    verdict: "wait",
    wait: ["w-0", "w-1"],
  },
];

function heldAlone(secondsAgo: number): Earlier {
  const given = gangOfRoles({
    decode: { min: 1 },
    "decode/a": { min: 2, bound: 2 },
    "decode/b": { min: 2, held: ["b-0"], pending: 1 },
  });
  return { secondsAgo, call: { stage: "permit", group: group(given) } };
}

function heldWithout(secondsAgo: number): Earlier {
  const worker = { min: 2, held: ["w-0", "w-1", "w-2"] };
  const given = gangOfRoles({ ps: { min: 1, pending: 1 }, worker });
  return { secondsAgo, call: { stage: "permit", group: group(given) } };
}

/** Every row about roles. */
export const roleCases: readonly ConformanceCase[] = [
  ...admissions.map(({ given, fit, ...row }): ConformanceCase => ({
    ...row,
    call: { stage: "prefilter", group: group(gangOfRoles(given)), ...(fit && { fit }) },
    check: ({ reason, message, need }) => {
      assertEquals([reason, need], [row.expect, row.need]);
      assertStringIncludes(message, row.says ?? "");
    },
  })),
  ...decisions.map(({ given, failed, ...row }): ConformanceCase => ({
    ...row,
    call: failed
      ? { stage: "postfilter", group: group(gangOfRoles(given)), failed: failed.map(failure) }
      : { stage: "permit", group: group(gangOfRoles(given)) },
    check: (answer) => {
      const { verdict, allow, wait, reject, need, reason, message } = answer as Decision;
      const { allow: mayBind = [], wait: waits = [], reject: letGo = [] } = row;
      assertEquals([verdict, allow, wait, reject], [row.verdict, mayBind, waits, letGo]);
      assertEquals([need, reason], [row.need ?? need, row.reason ?? reason]);
      assertStringIncludes(message, row.says ?? "");
    },
  })),
];

function failure({ uid, role }: Pick<MemberFailure, "uid" | "role">): MemberFailure {
  return {
    uid,
    role,
    name: uid,
    message: "0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
  };
}
