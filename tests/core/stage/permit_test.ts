import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { Group } from "../../../shared/core/gang/facts.ts";
import { type ProfileName, profiles } from "../../../shared/core/gang/settings.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { permitCases } from "../../conformance/cases/permit_cases.ts";
import { at, gang, gangOfRoles, group, now, together } from "../../support/facts.ts";

const round = { relay: "relay", startedAt: now - 30_000, deadline: now + 30_000 };
const failure = {
  at: now - 1000,
  closedUntil: now + 3000,
  reason: "MemberLost" as const,
  message: "lost",
};

for (const row of permitCases) {
  Deno.test(`permit: ${row.id}`, () => row.check(answerOfCore(row)));
}

function ask(state: GroupState, given: Group, { after = 0, profile = "default" as ProfileName }) {
  const event = { stage: "permit", group: given, settings: profiles[profile] } as const;
  return step(state, event, now + after * 1000);
}

Deno.test("permit: a failed round is closed up to its time, and at that of its failure, but not before it", () => {
  const given = group(gang({ minMember: 2, held: 1, pending: 1 }));
  const { closedUntil } = failure;
  const rows: [time: number, reason: string][] = [
    [failure.at, "MemberLost"],
    [closedUntil - 1, "MemberLost"],
    [closedUntil, "WaitingForMembers"],
    [failure.at - 1, "WaitingForMembers"],
  ];
  for (const [time, reason] of rows) {
    const { outcome } = ask({ failure }, given, { after: (time - now) / 1000 });
    assertEquals(outcome.reason, reason);
  }
});

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

Deno.test("permit: how long a gang waited in vain is told in seconds", () => {
  const patient = group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 7200 }));
  const open = ask({}, patient, {});
  const { message } = ask(open.state, patient, { after: 7200 }).outcome;
  assertStringIncludes(message, "within 7200 s, only 1 of 2");
});

Deno.test("permit: a gang group waits as long as the most patient of its gangs", () => {
  const two = together(
    gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 30 }),
    gang({ name: "b", pending: 1, waitSeconds: 90 }),
  );
  assertEquals(ask({}, two, {}).outcome.deadline, at(90));
});

Deno.test("permit: after a timeout the gang is closed for a moment, then tried again", () => {
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
  assertEquals(ask(none.state, waiting, { after: 20.001 }).outcome.deadline, at(80.001));
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

/** Who asks while nobody is held any more, and how long after a wait of 60 s began. */
const past: [relay: string, stage: "prefilter" | "permit" | "postfilter", after: number][] = [
  ["relay", "prefilter", 60],
  ["relay", "permit", 60],
  ["relay", "postfilter", 60],
  ["other", "prefilter", 90],
  ["other", "permit", 90],
  ["other", "postfilter", 300_000],
];

for (const [id, stage, after] of past) {
  Deno.test(`permit: a wait past its end when nobody is held is nobody's any more: ${stage} of ${id}`, () => {
    const open = ask({}, waiting, {});
    const relay = { id, epoch: 2 };
    const none = { ...group(gang({ minMember: 2, pending: 2 })), relay };
    const settings = profiles.koordinator;
    const asked = { stage, group: none, failed: [], settings } as const;
    const { state, outcome } = step(open.state, asked, now + after * 1000);
    assertEquals([outcome.reason === "TimedOut", state.round, state.failure], [
      false,
      undefined,
      undefined,
    ]);
    const next = ask(state, { ...waiting, relay }, { after: after + 5 });
    assertEquals(next.outcome.deadline, at(after + 65), "the next one starts a wait of its own");
  });
}

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

Deno.test("permit: a gang group is NonStrict only where each of its gangs is", () => {
  const mixed = together(
    { ...gang({ minMember: 2, held: 1, pending: 1, mode: "NonStrict" }) },
    gang({ name: "b", minMember: 3, held: 1 }),
  );
  assertEquals(ask({}, mixed, {}).outcome.verdict, "reject");
});

Deno.test("permit: in the last second it is asked again after one", () => {
  const open = ask({}, waiting, {});
  assertEquals(ask(open.state, waiting, { after: 59.5 }).outcome.askAgainSeconds, 1);
  assertEquals(ask(open.state, waiting, { after: 54.999 }).outcome.askAgainSeconds, 6);
});

Deno.test("permit: after a timeout the gangs of a group are counted together", () => {
  const two = together(
    gang({ minMember: 3, held: 2, pending: 1 }),
    gang({ name: "b", minMember: 4, held: 1, pending: 3 }),
  );
  const open = ask({}, two, {});
  const { message } = ask(open.state, two, { after: 60 }).outcome;
  assertStringIncludes(message, "within 60 s, only 3 of 7");
});

Deno.test("permit: what is not whole itself waits beside what may bind, until the deadline", () => {
  const given = group(gangOfRoles({
    "a": { min: 1 },
    "a/x": { min: 1, held: ["p"] },
    "a/y": { min: 2, held: ["w"], pending: 1 },
  }));
  const { deadline } = round;
  const answer = (time: number) => {
    const { outcome } = ask({ round }, given, { after: (time - now) / 1000 });
    return [outcome.allow, outcome.wait, outcome.reject];
  };
  assertEquals(answer(deadline - 1), [["p"], ["w"], []]);
  assertEquals(answer(deadline), [["p"], [], ["w"]]);
});
