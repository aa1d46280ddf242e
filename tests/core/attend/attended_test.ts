import { assertEquals } from "@std/assert";
import {
  type Asking,
  type Attended,
  isAboutToBeLetIn,
  isJudged,
  isLetIn,
  verdictOf,
} from "../../../shared/core/attend/attended.ts";
import type { Standing } from "../../../shared/core/attend/standing.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, letIn, snapshotOf, start } from "../../support/attending.ts";

const collecting: Standing = { phase: "collecting" };
const { group, specs, present } = snapshotOf({});
const asking: Asking = {
  question: { stage: "permit", request: group },
  weakened: 0,
  specs,
  present,
  calls: [],
  wasLetIn: false,
};
const fits: Plan = { fit: { members: 3, of: 3 }, taken: [], isShort: false };
const lacks: Plan = { fit: { members: 2, of: 3 }, isShort: true };
const behind: Plan = { ...fits, ahead: { gang: "default/b", since: "" } };

function refused(reason: "Parked" | "CustomPolicy" | "InsufficientResources"): Standing {
  return { phase: "refused", why: { reason, message: "it waits" }, since: start };
}

Deno.test("verdictOf(): none while it is collecting, then why it may be tried or not", () => {
  assertEquals(verdictOf(undefined), undefined);
  assertEquals(verdictOf(attended({ standing: collecting })), undefined);
  assertEquals(verdictOf(attended({ standing: letIn() })), {
    verdict: "allow",
    reason: "Admitted",
    message: "gang default/gang may be scheduled",
  });
  assertEquals(verdictOf(attended({ standing: refused("Parked") })), {
    verdict: "reject",
    reason: "Parked",
    message: "it waits",
  });
});

/** What is known of a group, and whether it is let in, about to be, and judged by the facts as they are. */
const rows: [
  id: string,
  known: Partial<Attended>,
  is: [isLetIn: boolean, isSoon: boolean, isJudged: boolean],
][] = [
  ["collecting", { standing: collecting, plan: fits }, [false, false, false]],
  ["let in", { standing: letIn(), plan: fits }, [true, false, true]],
  ["let in, without a plan", { standing: letIn() }, [true, false, false]],
  ["let in, and it has lost members", { standing: letIn(), brokenAt: 1, plan: fits }, [
    false,
    false,
    false,
  ]],
  ["let in after it had lost members", {
    standing: letIn({ judgedAt: 1 }),
    brokenAt: 1,
    plan: fits,
  }, [
    true,
    false,
    true,
  ]],
  ["asked about", { standing: refused("Parked"), asking, plan: fits }, [false, true, false]],
  ["asked about while collecting", { standing: collecting, asking, plan: fits }, [
    false,
    true,
    false,
  ]],
  ["asked about, and too large", { standing: collecting, asking, plan: lacks }, [
    false,
    false,
    false,
  ]],
  ["asked about, and behind another", { standing: collecting, asking, plan: behind }, [
    false,
    false,
    false,
  ]],
  ["asked about, without a plan", { standing: collecting, asking }, [false, false, false]],
  ["refused for room that has come", { standing: refused("InsufficientResources"), plan: fits }, [
    false,
    false,
    false,
  ]],
  ["refused for room", { standing: refused("InsufficientResources"), plan: lacks }, [
    false,
    false,
    true,
  ]],
  ["refused for another reason", { standing: refused("Parked"), plan: fits }, [
    false,
    false,
    true,
  ]],
];

for (const [id, known, is] of rows) {
  Deno.test(`whether a group is let in, about to be, and judged: ${id}`, () => {
    const one = attended(known);
    assertEquals([isLetIn(one), isAboutToBeLetIn(one), isJudged(one)], is);
  });
}
