import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Outage } from "../../shared/client/outage.ts";

Deno.test("an outage is said at once, and then more and more seldom", () => {
  using time = new FakeTime();
  const outage = new Outage();
  const saidAt: number[] = [];
  for (let second = 0; second < 3000; second++) {
    if (outage.noted()) saidAt.push(outage.seconds!);
    time.tick(1000);
  }
  assertEquals(saidAt, [0, 10, 30, 70, 150, 310, 630, 1230, 1830, 2430]);
  outage.over();
  assertEquals([outage.seconds, outage.noted(), outage.seconds], [undefined, true, 0]);
});

Deno.test("an outage is asked about as often as may be while it is brief, then twice as seldom each time or less", () => {
  using time = new FakeTime();
  const { random } = Math;
  try {
    for (const [drawn, factor] of [[0, 2], [1, 3]] as const) {
      Math.random = () => drawn;
      const outage = new Outage();
      outage.noted();
      const pauses: number[] = [];
      for (let asked = 0; asked < 70; asked++) {
        const ms = outage.pauseMs({ least: 500, most: 8000 });
        pauses.push(ms);
        time.tick(ms);
      }
      assertEquals(new Set(pauses.slice(0, 60)), new Set([500]));
      const longer = pauses.slice(60).filter((ms) => ms > 500 && ms < 8000);
      for (const [at, ms] of longer.entries()) assertEquals(ms, longer[0]! * factor ** at);
      assertEquals(pauses.at(-1), 8000);
    }
  } finally {
    Math.random = random;
  }
});
