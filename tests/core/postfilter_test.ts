import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { Decision } from "../../shared/core/decision.ts";
import type { Group, MemberFailure } from "../../shared/core/facts.ts";
import type { PostfilterEvent } from "../../shared/core/postfilter.ts";
import type { Reason } from "../../shared/core/reason.ts";
import { type ProfileName, profiles } from "../../shared/core/settings.ts";
import type { GroupState } from "../../shared/core/state.ts";
import { step } from "../../shared/core/step.ts";
import { at, gang, group, now, together } from "../support/facts.ts";

interface Case {
  id: string;
  given: Group;
  failed?: number | MemberFailure[];
  state?: GroupState;
  profile?: ProfileName;
  expect: Decision["verdict"];
  reason?: Reason;
  says?: string;
}

const noRoom = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";

const cases: Case[] = [
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
    state: {
      failure: { at: now, closedUntil: now + 4000, reason: "MemberUnschedulable", message: "root" },
    },
    expect: "reject",
    says: "root",
  },
];

function failures(count: number): MemberFailure[] {
  return Array.from({ length: count }, (_, index) => ({
    uid: `uid-${index}`,
    name: `f-${index}`,
    message: noRoom,
  }));
}

function ask(given: Group, options: Partial<Omit<Case, "id" | "given">>) {
  const { failed = 1, state = {}, profile = "default" } = options;
  const event: PostfilterEvent = {
    stage: "postfilter",
    group: given,
    failed: typeof failed === "number" ? failures(failed) : failed,
    settings: profiles[profile],
  };
  return step(state, event, now);
}

for (const { id, given, ...row } of cases) {
  Deno.test(`postfilter: ${id}`, () => {
    const { outcome } = ask(given, row);
    const held = given.gangs.flatMap((facts) => facts.held.map(({ uid }) => uid));
    assertObjectMatch({ ...outcome }, {
      verdict: row.expect,
      allow: row.expect === "allow" ? held : [],
      wait: row.expect === "wait" ? held : [],
      reject: row.expect === "reject" ? held : [],
    });
    assertEquals(outcome.reason, row.reason ?? outcome.reason);
    assertStringIncludes(outcome.message, row.says ?? "");
  });
}

Deno.test("postfilter: KO-PC-1 siblings learn which member failed, and why", () => {
  const { outcome, state } = ask(group(gang({ minMember: 2, held: 1, pending: 1 })), {});
  assertEquals(
    outcome.message,
    "gang default/a can not become whole: no node for member f-0: " +
      "0/2 nodes are available: 2 Insufficient nvidia.com/gpu",
  );
  assertEquals(outcome.failedAt, at(0));
  assertEquals(state.failure, {
    at: now,
    closedUntil: now + 4000,
    reason: "MemberUnschedulable",
    message: outcome.message,
  });
  assertEquals(state.round, undefined);
});

Deno.test("postfilter: a failed member without a name is told by its uid", () => {
  const { outcome } = ask(group(gang({ minMember: 2, held: 1, pending: 1 })), {
    failed: [{ uid: "uid-7", message: "no" }],
  });
  assertStringIncludes(outcome.message, "no node for member uid-7: no");
});
