import { assertEquals, assertStringIncludes } from "@std/assert";
import type { MemberFailure } from "../../../shared/core/gang/facts.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { emptyState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { failures, postfilterCases } from "../../conformance/cases/postfilter_cases.ts";
import { at, gang, group, now } from "../../support/facts.ts";

for (const row of postfilterCases) {
  Deno.test(`postfilter: ${row.id}`, () => row.check(answerOfCore(row)));
}

/** One of two members is held, and the other fails. */
function ask(failed: readonly MemberFailure[]) {
  const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));
  const settings = profiles.default;
  return step(emptyState, { stage: "postfilter", group: facts, failed, settings }, now);
}

Deno.test("postfilter: KO-PC-1 siblings learn which member failed, and why", () => {
  const { outcome, state } = ask(failures(1));
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
  const { outcome } = ask([{ uid: "uid-7", message: "no" }]);
  assertStringIncludes(outcome.message, "no node for member uid-7: no");
});
