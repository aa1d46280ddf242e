import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { Decision } from "../../shared/core/decision.ts";
import type { Group, Loss } from "../../shared/core/facts.ts";
import type { Reason } from "../../shared/core/reason.ts";
import { type ProfileName, profiles } from "../../shared/core/settings.ts";
import { emptyState, type GroupState } from "../../shared/core/state.ts";
import { step } from "../../shared/core/step.ts";
import { at, gang, group, now, pod, together } from "../support/facts.ts";

interface Case {
  id: string;
  given: Group;
  cause?: Loss["cause"];
  of?: string;
  profile?: ProfileName;
  expect: Decision["verdict"];
  reason?: Reason;
  says?: string;
}

const cases: Case[] = [
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
    id: "KO-UR-1 Strict: every held member of the group goes",
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

function ask(given: Group, options: Partial<Omit<Case, "id" | "given">> & { state?: GroupState }) {
  const { cause = "aborted", of, profile = "default", state = {} } = options;
  const lost: Loss[] = [{ pod: pod("lost"), cause, ...(of && { gang: of }) }];
  return step(
    state,
    { stage: "unreserve", group: given, lost, settings: profiles[profile] },
    now,
  );
}

for (const { id, given, ...row } of cases) {
  Deno.test(`unreserve: ${id}`, () => {
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

Deno.test("unreserve: a lost member closes the gang for a moment", () => {
  const { state } = ask(group(gang({ minMember: 2, held: 1, pending: 1 })), {});
  assertObjectMatch({ ...state.failure }, { at: now, closedUntil: now + 4000 });
});

Deno.test("unreserve: the message names a lost member of the gang that broke", () => {
  const given = together(
    gang({ minMember: 1, held: ["x"] }),
    gang({ name: "b", minMember: 2, held: ["z"], pending: 1 }),
  );
  const lost: Loss[] = [
    { pod: pod("of-a"), cause: "deleted", gang: "default/a" },
    { pod: pod("of-b"), cause: "aborted", gang: "default/b" },
  ];
  const event = { stage: "unreserve", group: given, lost, settings: profiles.default } as const;
  assertEquals(
    step({}, event, now).outcome.message,
    "gang default/b lost its held member of-b: the scheduler took its bind call back",
  );
});

Deno.test("unreserve: KO-DF-10 when the last pod is gone, the gang is forgotten", () => {
  const state: GroupState = {
    failure: { at: now, closedUntil: now + 4000, reason: "TimedOut", message: "" },
  };
  const { state: next, outcome } = ask(group(gang({ minMember: 2 })), { cause: "gone", state });
  assertEquals(next, emptyState);
  assertEquals(outcome.reason, "Gone");
});

Deno.test("unreserve: members of a gang created anew are held for a wait of their own", () => {
  const state: GroupState = {
    round: { relay: "relay", startedAt: now - 50_000, deadline: now + 10_000 },
    failure: { at: now, closedUntil: now + 4000, reason: "TimedOut", message: "" },
  };
  const given = group(gang({ minMember: 2, held: 1, pending: 1 }));
  const { state: next, outcome } = ask(given, { cause: "gone", state });
  assertObjectMatch({ ...outcome }, { verdict: "wait", deadline: at(60) });
  assertEquals(next.failure, undefined);
  assertEquals(next.round?.deadline, now + 60_000);
});
