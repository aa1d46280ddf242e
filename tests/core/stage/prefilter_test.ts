import { assertEquals, assertStringIncludes } from "@std/assert";
import type { GangFacts } from "../../../shared/core/gang/facts.ts";
import { prefilter } from "../../../shared/core/stage/prefilter.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import type { GroupState } from "../../../shared/core/stage/state.ts";
import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { prefilterCases } from "../../conformance/cases/prefilter_cases.ts";
import { gang, group, now, together } from "../../support/facts.ts";

for (const row of prefilterCases) {
  Deno.test(`prefilter: ${row.id}`, () => row.check(answerOfCore(row)));
}

const failedNow: GroupState = {
  failure: {
    at: now - 1000,
    closedUntil: now + 2500,
    reason: "MemberUnschedulable",
    message: "no node for member a-2",
  },
};

Deno.test("prefilter: a failed round says when to ask again, in whole seconds", () => {
  const event = {
    stage: "prefilter",
    group: group(gang({ minMember: 2, pending: 2 })),
    settings: profiles.default,
  } as const;
  assertEquals(prefilter(failedNow, event, now).retryAfterSeconds, 3);
});

Deno.test("prefilter: the message names every gang of a group", () => {
  const given = together(gang({ name: "b", pending: 1 }), gang({ pending: 1 }));
  const event = { stage: "prefilter", group: given, settings: profiles.default } as const;
  assertEquals(
    prefilter({}, event, now).message,
    "gang group default/a, default/b may be scheduled",
  );
});

Deno.test("prefilter: by whom members were preempted is told beside why the gang waits, or that it does not", () => {
  const by = "gang default/high of higher priority";
  const said = (...gangs: GangFacts[]) =>
    prefilter({}, {
      stage: "prefilter",
      group: gangs.length > 1 ? together(...gangs) : group(...gangs),
      settings: profiles.default,
    }, now).message;
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
