import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { Decision } from "../../shared/core/decision.ts";
import type { Group } from "../../shared/core/facts.ts";
import type { Reason } from "../../shared/core/reason.ts";
import { type ProfileName, profiles } from "../../shared/core/settings.ts";
import type { GroupState } from "../../shared/core/state.ts";
import { step } from "../../shared/core/step.ts";
import { at, gang, group, now, together } from "../support/facts.ts";

interface Case {
  id: string;
  given: Group;
  state?: GroupState;
  profile?: ProfileName;
  expect: Decision["verdict"];
  reason?: Reason;
  need?: number;
  says?: string;
}

const round = { relay: "relay", startedAt: now - 30_000, deadline: now + 30_000 };
const failure = {
  at: now - 1000,
  closedUntil: now + 3000,
  reason: "MemberLost" as const,
  message: "lost",
};

const cases: Case[] = [
  // Section B.
  {
    id: "SP-PM-3 minMember 2, first member",
    given: group(gang({ minMember: 2, pending: 1, held: 1 })),
    expect: "wait",
    need: 1,
    says: "gang default/a holds 1 members and waits for 1 more to find a node",
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
    id: "a round that failed a moment ago stays closed",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    state: { failure },
    expect: "reject",
    reason: "MemberLost",
    says: "lost",
  },
  {
    id: "a whole gang binds although its last round failed a moment ago",
    given: group(gang({ minMember: 2, held: 2 })),
    state: { failure },
    expect: "allow",
  },
  {
    id: "BUG-6 past the deadline",
    given: group(gang({ minMember: 2, held: 1, pending: 1 })),
    state: { round: { ...round, deadline: now } },
    expect: "reject",
    reason: "TimedOut",
    says: "gang default/a was let go: not all of its members found a node within 30 s",
  },
  {
    id: "quorum at the deadline is still quorum",
    given: group(gang({ minMember: 2, held: 2 })),
    state: { round: { ...round, deadline: now - 1 } },
    expect: "allow",
  },
];

for (const { id, given, state = {}, profile = "default", ...expected } of cases) {
  Deno.test(`permit: ${id}`, () => {
    const settings = profiles[profile];
    const { outcome } = step(state, { stage: "permit", group: given, settings }, now);
    const held = given.gangs.flatMap((facts) => facts.held.map(({ uid }) => uid));
    assertObjectMatch({ ...outcome }, {
      verdict: expected.expect,
      allow: expected.expect === "allow" ? held : [],
      wait: expected.expect === "wait" ? held : [],
      reject: expected.expect === "reject" ? held : [],
    });
    assertEquals(outcome.reason, expected.reason ?? outcome.reason);
    assertEquals(outcome.need, expected.need ?? outcome.need);
    assertStringIncludes(outcome.message, expected.says ?? "");
  });
}

function ask(state: GroupState, given: Group, { after = 0, profile = "default" as ProfileName }) {
  const event = { stage: "permit", group: given, settings: profiles[profile] } as const;
  return step(state, event, now + after * 1000);
}

const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));

Deno.test("permit: a wait starts at the first held member and is not drawn out", () => {
  const first = ask({}, waiting, {});
  assertEquals(first.outcome.deadline, at(60));
  assertEquals(first.outcome.askAgainSeconds, 20);
  const later = ask(first.state, waiting, { after: 55 });
  assertEquals(later.outcome.deadline, at(60));
  assertEquals(later.outcome.askAgainSeconds, 5);
  const over = ask(later.state, waiting, { after: 60 });
  assertObjectMatch({ ...over.outcome }, { reason: "TimedOut", failedAt: at(60) });
});

Deno.test("permit: SP-PM-3 in profile sigs the wait is 10 s, as in S0 and S1", () => {
  assertEquals(ask({}, waiting, { profile: "sigs" }).outcome.deadline, at(10));
});

Deno.test("permit: BUG-7 KO-PM-3 a gang's own wait is honoured, beyond 15 minutes too", () => {
  const patient = group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 7200 }));
  assertEquals(ask({}, patient, {}).outcome.deadline, at(7200));
});

Deno.test("permit: a gang group waits as long as the most patient of its gangs", () => {
  const two = together(
    gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 30 }),
    gang({ name: "b", pending: 1, waitSeconds: 90 }),
  );
  assertEquals(ask({}, two, {}).outcome.deadline, at(90));
});

Deno.test("permit: BUG-6 after a timeout the gang is closed for a moment, then tried again", () => {
  const open = ask({}, waiting, {});
  const failed = ask(open.state, waiting, { after: 60 });
  assertEquals(ask(failed.state, waiting, { after: 63 }).outcome.reason, "TimedOut");
  const again = ask(failed.state, waiting, { after: 64 });
  assertObjectMatch({ ...again.outcome }, {
    verdict: "wait",
    deadline: at(124),
    failedAt: at(60),
  });
});

Deno.test("permit: members that come while the gang is closed do not start its next wait", () => {
  const open = ask({}, waiting, {});
  const failed = ask(open.state, waiting, { after: 60 });
  const closed = ask(failed.state, waiting, { after: 61 });
  assertEquals(closed.state.round, undefined);
  assertEquals(ask(closed.state, waiting, { after: 65 }).outcome.deadline, at(125));
});

Deno.test("permit: a wait ends with the last held member, unless one is held again within 10 s", () => {
  const open = ask({}, waiting, {});
  const none = ask(open.state, group(gang({ minMember: 2, pending: 2 })), { after: 10 });
  assertEquals(ask(none.state, waiting, { after: 20 }).outcome.deadline, at(60));
  assertEquals(ask(none.state, waiting, { after: 21 }).outcome.deadline, at(81));
});

Deno.test("permit: BUG-15 another relay starts a wait of its own", () => {
  const open = ask({}, waiting, {});
  const other = { ...waiting, relay: { id: "other", epoch: 1 } };
  assertEquals(ask(open.state, other, { after: 30 }).outcome.deadline, at(90));
});

Deno.test("permit: BUG-15 a relay that holds nothing does not end the wait of another", () => {
  const open = ask({}, waiting, {});
  const idle = {
    ...group(gang({ minMember: 2, pending: 2 })),
    relay: { id: "other", epoch: 1 },
  };
  assertEquals(ask(open.state, idle, { after: 5 }).state.round, open.state.round);
});

Deno.test("permit: SP-LS-16 an allow clears the failure and ends the round", () => {
  const state = { failure, round };
  const { state: next, outcome } = ask(state, group(gang({ minMember: 2, held: 2 })), {});
  assertEquals([next.failure, next.round, outcome.failedAt], [undefined, undefined, undefined]);
});

Deno.test("permit: BUG-17 a new minMember rules at once", () => {
  const open = ask({}, waiting, {});
  const smaller = group(gang({ minMember: 1, held: 1, pending: 1 }));
  assertEquals(ask(open.state, smaller, { after: 1 }).outcome.verdict, "allow");
});
