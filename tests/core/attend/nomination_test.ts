import { assertEquals } from "@std/assert";
import type { Attended, Refused } from "../../../shared/core/attend/attended.ts";
import { nominationsEndAt, takeBack } from "../../../shared/core/attend/nomination.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, letIn, snapshotOf, start } from "../../support/attending.ts";

const why = { reason: "InsufficientResources", message: "it finds no room" } as const;
const refused: Refused = { phase: "refused", why, since: start };
const whole: Plan = { fit: { members: 2, of: 2 }, isShort: false };

const cases: [id: string, group: Partial<Attended>, expect: number][] = [
  ["let in, and victims leave: not yet", { standing: letIn() }, Infinity],
  ["let in, and there is room: when the scheduler should have tried it", {
    standing: letIn(),
    fitsSince: start,
  }, start + 4000],
  ["not let in: as soon as no cycle is under way", { standing: refused }, start + 1000],
  ["not let in, whatever room there is", { standing: refused, fitsSince: 0 }, start + 1000],
  ["in the pause after a failed round: not yet", {
    standing: refused,
    retryAt: start + 4000,
    plan: whole,
    fitsSince: 0,
  }, Infinity],
];

for (const [id, parts, expect] of cases) {
  Deno.test(`nominationsEndAt(): ${id}`, () => {
    assertEquals(nominationsEndAt(attended(parts)), expect);
  });
}

Deno.test("takeBack(): a nomination is taken back once, until its pod has changed", () => {
  const group = attended({ standing: refused });
  const facts = (version: string) => ({
    ...snapshotOf({ pending: 2 }),
    nominated: () => [{ uid: "a", version }],
  });
  const first = takeBack(group, facts("1"), start + 1000);
  assertEquals(first.effects, [{ do: "unnominate", uids: ["a"] }]);
  assertEquals(takeBack(first.attended, facts("1"), start + 2000).effects, []);
  assertEquals(takeBack(first.attended, facts("2"), start + 2000).effects, first.effects);
});
