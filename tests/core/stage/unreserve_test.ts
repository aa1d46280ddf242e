import { assertEquals, assertObjectMatch } from "@std/assert";
import type { Group, Loss } from "../../../shared/core/gang/facts.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { emptyState, type GroupState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { unreserveCases } from "../../conformance/cases/unreserve_cases.ts";
import { at, gang, group, now, pod, together } from "../../support/facts.ts";

for (const row of unreserveCases) {
  Deno.test(`unreserve: ${row.id}`, () => row.check(answerOfCore(row)));
}

function ask(
  given: Group,
  { cause = "aborted", state = {} }: { cause?: Loss["cause"]; state?: GroupState },
) {
  const lost = [{ pod: pod("lost"), cause }];
  const settings = profiles.default;
  return step(state, { stage: "unreserve", group: given, lost, settings }, now);
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

Deno.test("unreserve: whom a gang was let go for is told, also where none of its members is held any more", () => {
  const by = "pod default/high of higher priority";
  const lost: Loss[] = [{ pod: pod("lost"), cause: "aborted", by }];
  for (const held of [0, 1]) {
    const given = group(gang({ minMember: 3, held, pending: 3 - held }));
    const event = { stage: "unreserve", group: given, lost, settings: profiles.default } as const;
    const { reason, message } = step({}, event, now).outcome;
    assertEquals([reason, message], [
      "MemberLost",
      `gang default/a lost its held member lost: it was let go for ${by}`,
    ]);
  }
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
