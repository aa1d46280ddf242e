import { assertEquals } from "@std/assert";
import { isLeftAlone, leaveAlone } from "../../../shared/core/attend/left_alone.ts";

Deno.test("left alone: twice as long after each refusal of the same, five minutes at most", () => {
  let left = leaveAlone(undefined, { specs: "a", now: 0 });
  const waits = [left.until];
  for (let times = 0; times < 6; times++) {
    const now = left.until;
    left = leaveAlone(left, { specs: "a", now });
    waits.push(left.until - now);
  }
  assertEquals(waits, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
});

Deno.test("left alone: other specs are asked about at once, and begin anew", () => {
  const left = leaveAlone(leaveAlone(undefined, { specs: "a", now: 0 }), { specs: "a", now: 0 });
  assertEquals(isLeftAlone(left, { specs: "a", now: 19_999 }), true);
  assertEquals(isLeftAlone(left, { specs: "a", now: 20_000 }), false);
  assertEquals(isLeftAlone(left, { specs: "b", now: 0 }), false);
  assertEquals(leaveAlone(left, { specs: "b", now: 0 }).until, 10_000);
});
