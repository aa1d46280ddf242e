import process from "node:process";
import { assertEquals, assertRejects } from "@std/assert";
import { inTime } from "./pace.ts";

const longestMs = 50;

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

Deno.test("pace: a call that computes for too long is slow, though it is made once", async () => {
  let made = 0;
  const call = () => {
    const start = process.cpuUsage();
    for (made++; process.cpuUsage(start).user < 2000 * longestMs;);
    return Promise.resolve();
  };
  await assertRejects(() => inTime(call, longestMs), Error, "ms of CPU");
  assertEquals(made, 1);
});

Deno.test("pace: a call that waits is slow if it always does", async () => {
  let made = 0;
  const waits = () => wait(++made > 3 ? 0 : 2 * longestMs);
  await inTime(waits, longestMs);
  assertEquals(made >= 4, true);
  await assertRejects(
    () => inTime(() => wait(2 * longestMs), longestMs),
    Error,
    "again and again",
  );
});
