import { assertEquals } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Decision } from "../../../shared/core/stage/decision.ts";
import { isDecisionDue } from "../../../shared/core/attend/decision.ts";
import { attended, callOf, snapshotOf, start } from "../../support/attending.ts";

const facts = snapshotOf({ pending: 2, calls: [callOf("a1")] });
const later = start + 10_000;

/** A group whose last answer was to wait, given when so many members were held. */
function waitingSince(held: number): Attended {
  const { specs, present } = facts;
  const decision: Decision = {
    verdict: "wait",
    allow: [],
    wait: [],
    reject: [],
    need: present - held,
    reason: "WaitingForMembers",
    message: "gang default/gang waits",
  };
  return attended({ round: { decision, specs, present, held, askAgainAt: Infinity } });
}

Deno.test("the first member held after an answer without any is asked about at once: the wait begins", () => {
  assertEquals(isDecisionDue(waitingSince(0), facts, later), true);
  assertEquals(isDecisionDue(waitingSince(1), facts, later), false);
});
