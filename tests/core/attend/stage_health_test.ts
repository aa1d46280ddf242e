import { assert, assertEquals } from "@std/assert";
import {
  healthy,
  isOrderMissing,
  isStageLeftAlone,
  stageAnswered,
  stageFailed,
  stageNames,
  usualFailureMode,
} from "../../../shared/core/attend/stage_health.ts";

Deno.test("a stage that fails is left alone, for longer each time, and asked as before once it answers", () => {
  const times: number[] = [];
  let health = healthy;
  assert(!isStageLeftAlone(health, 0));
  for (let failures = 0; failures < 7; failures++) {
    health = stageFailed(health, { error: "no answer", now: 0 });
    const seconds = Array.from({ length: 60 }, (_, second) => second);
    times.push(seconds.filter((second) => isStageLeftAlone(health, second * 1000)).length);
  }
  assertEquals(times, [1, 2, 4, 8, 16, 30, 30]);
  const answered = stageAnswered(health);
  assert(!isStageLeftAlone(answered, 0));
  assertEquals(answered.error, "no answer");
});

Deno.test("while a stage fails gangs wait, but for an order", () => {
  assertEquals(stageNames.map(usualFailureMode), [
    "built-in",
    ...Array(stageNames.length - 1).fill("wait"),
  ]);
});

Deno.test("an order is missed for a while only: where one gang is left nobody asks for it", () => {
  const failed = stageFailed(healthy, { error: "no answer", now: 0 });
  assertEquals([0, 14_999, 15_000].map((now) => isOrderMissing(failed, now)), [true, true, false]);
  assert(!isOrderMissing(stageAnswered(failed), 1));
});
