import { assertEquals } from "@std/assert";
import { prefilter } from "../../shared/core/prefilter.ts";
import { profiles } from "../../shared/core/settings.ts";
import type { GroupState } from "../../shared/core/state.ts";
import { answerOfCore } from "../conformance/cases/conformance_case.ts";
import { prefilterCases } from "../conformance/cases/prefilter_cases.ts";
import { gang, group, now, together } from "../support/facts.ts";

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
