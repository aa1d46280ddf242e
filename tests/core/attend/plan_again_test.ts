import { assertEquals } from "@std/assert";
import { planAgainAt, triedUntil } from "../../../shared/core/attend/plan_again.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { attended, letIn, start } from "../../support/attending.ts";

Deno.test("plans are made again when the scheduler has tried whoever was let in, and not for others", () => {
  const entered = attended({ standing: letIn() });
  const until = start + times.settled;
  assertEquals([triedUntil(entered), triedUntil(attended())], [until, 0]);
  const groups = [{ attended: entered }, { attended: attended() }];
  assertEquals(planAgainAt(groups, until - 1), until);
  assertEquals(planAgainAt(groups, until), Infinity);
});

Deno.test("plans are made again when a group does not keep its room from others any more", () => {
  const groups = [{ attended: attended({ keepsUntil: start + 5 }) }];
  assertEquals(planAgainAt(groups, start), start + 5);
  assertEquals(planAgainAt(groups, start + 5), Infinity);
});
