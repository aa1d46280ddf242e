import { assertEquals, assertStrictEquals, assertStringIncludes } from "@std/assert";
import type { GangFacts, Group } from "../../../shared/core/gang/facts.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { emptyState, type GroupState } from "../../../shared/core/stage/state.ts";
import { isStale, step } from "../../../shared/core/stage/step.ts";
import { gang, type GangParts, group, now, pod, together } from "../../support/facts.ts";

const settings = profiles.default;

function permit(state: GroupState, given: Group, after = 0) {
  return step(state, { stage: "permit", group: given, settings }, now + after * 1000);
}

function told(epoch: number, given: Group, id = "relay"): Group {
  return { ...given, relay: { id, epoch } };
}

const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));

Deno.test("step: facts older than those seen are answered and change nothing", () => {
  const { state } = permit(emptyState, told(5, group(gang({ minMember: 2, pending: 2 }))));
  const late = permit(state, told(4, waiting));
  assertEquals(late.outcome.verdict, "wait");
  assertStrictEquals(late.state, state);
});

Deno.test("step: a delayed word that the gang is gone does not wipe newer facts", () => {
  const { state } = permit(emptyState, told(5, waiting));
  const late = step(state, {
    stage: "unreserve",
    group: told(4, group(gang({ minMember: 2 }))),
    lost: [{ pod: pod("x"), cause: "gone" }],
    settings,
  }, now);
  assertStrictEquals(late.state, state);
});

Deno.test("step: epochs are compared within one relay only", () => {
  const { state } = permit(emptyState, told(5, waiting));
  assertEquals(isStale(state, told(4, waiting)), true);
  assertEquals(isStale(state, told(5, waiting)), false);
  assertEquals(isStale(state, told(1, waiting, "other")), false);
  assertEquals(isStale(emptyState, told(0, waiting)), false);
});

Deno.test("step: BUG-2 a PodGroup created anew under the same name starts with a clean state", () => {
  const old = group(gang({ minMember: 2, held: 1, pending: 1, uid: "uid-1" }));
  const failed = permit(permit(emptyState, old).state, old, 60);
  assertEquals(failed.outcome.reason, "TimedOut");
  const anew = told(2, group(gang({ minMember: 2, held: 1, pending: 1, uid: "uid-2" })));
  const { outcome, state } = permit(failed.state, anew, 61);
  assertEquals(outcome.verdict, "wait");
  assertEquals(outcome.failedAt, undefined);
  assertEquals(state.uids, { "default/a": "uid-2" });
});

Deno.test("step: a repeated call gives the same answer, in a profile without a pause too", () => {
  for (const profile of Object.values(profiles)) {
    const event = { stage: "permit", group: waiting, settings: profile } as const;
    const deadline = now + profile.waitSeconds * 1000;
    const first = step(step(emptyState, event, now).state, event, deadline);
    assertEquals(first.outcome.reason, "TimedOut");
    assertEquals(step(first.state, event, deadline).outcome, first.outcome);
  }
});

const three = { minMember: 3, uid: "uid-1" };

Deno.test("step: a gang that may bind was whole, and stays so while members are left", () => {
  const allowed = permit(emptyState, told(1, group(gang({ ...three, held: 3 }))));
  assertEquals(allowed.outcome.whole, { "default/a": 3 });
  const report = (state: GroupState, given: GangParts) =>
    step(state, { stage: "prefilter", group: told(2, group(gang(given))), settings }, now);
  const broken = report(allowed.state, { ...three, bound: 2, pending: 1 });
  assertEquals(broken.outcome.whole, { "default/a": 3 });
  assertEquals(broken.state.whole, { "default/a": 3 });
  const last = report(broken.state, { ...three, bound: 1, pending: 2 });
  assertEquals(last.outcome.whole, { "default/a": 3 });
  const gone = report(broken.state, { ...three, pending: 3 });
  assertEquals([gone.outcome.whole, gone.state.whole], [undefined, undefined]);
  const anew = report(broken.state, { ...three, uid: "uid-2", bound: 1, pending: 2 });
  assertEquals(anew.outcome.whole, undefined);
});

Deno.test("step: a gang was whole if enough members are bound, and not by a member that got a node by itself", () => {
  const whole = (given: GangParts) => permit(emptyState, group(gang(given))).outcome.whole;
  assertEquals(whole({ ...three, running: 3 }), { "default/a": 3 });
  assertEquals(whole({ ...three, running: 1, succeeded: 2 }), { "default/a": 3 });
  assertEquals(whole({ ...three, bound: 1, pending: 2 }), undefined);
  const stray = permit(emptyState, group(gang({ ...three, bound: 1, held: 1, pending: 1 })));
  assertEquals([stray.outcome.verdict, stray.outcome.whole], ["allow", undefined]);
  assertEquals(whole({ minMember: 1, bound: 1 }), { "default/a": 1 });
});

Deno.test("step: prefilter keeps the state but for the facts it saw", () => {
  const { state } = step(
    { failure: { at: now, closedUntil: now, reason: "TimedOut", message: "late" } },
    { stage: "prefilter", group: waiting, settings },
    now + 1,
  );
  assertEquals(state.failure?.message, "late");
  assertEquals(state.relay, waiting.relay);
});

Deno.test("step: since when a reason is told is kept while it is the same", () => {
  const first = permit(emptyState, told(1, waiting));
  const later = permit(first.state, told(2, waiting), 5);
  assertEquals([first.state.standing?.since, later.state.standing?.since], [now, now]);
  const over = permit(later.state, told(3, waiting), 60);
  assertEquals(over.state.standing, { reason: "TimedOut", since: now + 60_000 });
});

Deno.test("step: what a clock that was ahead has set is begun anew where it is set right", () => {
  const opened = permit(emptyState, told(1, waiting)).state;
  const failed = permit(opened, told(2, waiting), 60).state;
  const again = permit(opened, told(2, waiting), -1);
  assertEquals(again.state.round, {
    ...opened.round,
    startedAt: now - 1000,
    deadline: opened.round!.deadline - 1000,
  });
  assertEquals(again.state.standing?.since, now - 1000);
  const failure = (after: number) => permit(failed, told(3, waiting), after).state.failure;
  assertEquals([failure(59), failure(60)], [undefined, failed.failure]);
});

Deno.test("step: a gang group is forgotten only when none of its gangs holds a member", () => {
  const gone = (held: number) => {
    const { state } = permit(emptyState, told(1, waiting));
    const left = { name: "b", minMember: 2, held, pending: 1 };
    return step(state, {
      stage: "unreserve",
      group: told(2, together(gang({ minMember: 2 }), gang(left))),
      lost: [{ pod: pod("x"), cause: "gone" }],
      settings,
    }, now).state;
  };
  assertEquals(gone(0), emptyState);
  assertEquals(gone(1) === emptyState, false);
});

Deno.test("step: a gang whose members are held was not whole before they may bind, whatever prefilter says", () => {
  const said = (given: GangParts) => {
    const event = { stage: "prefilter", group: group(gang(given)), settings } as const;
    const { outcome } = step(emptyState, event, now);
    return [outcome.verdict, outcome.whole];
  };
  assertEquals(said({ ...three, held: 3 }), ["allow", undefined]);
  assertEquals(said({ ...three, bound: 2, pending: 1 }), ["allow", undefined]);
  assertEquals(said({ ...three, bound: 3 }), ["allow", { "default/a": 3 }]);
});

Deno.test("step: a gang group of which nothing is left is forgotten, whatever else was lost", () => {
  const { state } = permit(emptyState, told(1, waiting));
  const { state: after, outcome } = step(state, {
    stage: "unreserve",
    group: told(2, group(gang({ minMember: 2 }))),
    lost: [{ pod: pod("x"), cause: "aborted" }, { pod: pod("y"), cause: "gone" }],
    settings,
  }, now);
  assertEquals([after, outcome.reason], [emptyState, "Gone"]);
});

Deno.test("step: whichever stage answers, by whom members were preempted is told beside why the gang waits, or that it does not", () => {
  const by = "gang default/high of higher priority";
  const said = (...gangs: GangFacts[]) => {
    const given = gangs.length > 1 ? together(...gangs) : group(...gangs);
    const event = { group: given, settings: profiles.default, failed: [], lost: [] };
    const stages = ["prefilter", "permit", "postfilter", "unreserve"] as const;
    const messages = stages.map((stage) => step(emptyState, { ...event, stage }, now))
      .map(({ outcome }) => outcome.message);
    assertEquals(new Set(messages).size, 1);
    return messages[0]!;
  };
  assertEquals(
    said({ ...gang({ minMember: 3, bound: 3 }), preempted: { members: 1, by } }),
    `gang default/a is satisfied; 1 member was preempted by ${by}`,
  );
  const torn = { ...gang({ minMember: 3, bound: 1 }), preempted: { members: 2, by } };
  assertEquals(
    said(torn),
    "gang default/a runs with 1 of 3 members: the others are gone, so create them anew or delete the " +
      `gang; 2 members were preempted by ${by}`,
  );
  assertStringIncludes(
    said(torn, gang({ name: "b" })),
    `; 2 members of gang default/a were preempted by ${by}`,
  );
  const problem = { reason: "InvalidName", message: "x".repeat(1000) };
  const long = said({ ...torn, problem });
  assertEquals([long.length, long.endsWith(` were preempted by ${by}`)], [1000, true]);
});
