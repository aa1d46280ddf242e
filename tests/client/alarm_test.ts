import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Alarm } from "../../shared/client/alarm.ts";

/** An alarm, and when it rang, in ms from now. */
function alarmed(): { time: FakeTime; alarm: Alarm; rang: number[] } {
  const time = new FakeTime();
  const start = Date.now();
  const rang: number[] = [];
  const alarm = new Alarm(() => rang.push(Date.now() - start));
  return { time, alarm, rang };
}

Deno.test("alarm: what is set by a time rings then, or before", async () => {
  const { time, alarm, rang } = alarmed();
  using _ = time;
  const now = Date.now();
  alarm.setBy(now + 100);
  alarm.setBy(now + 200);
  alarm.setBy(now + 50);
  await time.tickAsync(300);
  alarm.setBy(now + 400);
  await time.tickAsync(300);
  assertEquals(rang, [50, 400]);
});

Deno.test("alarm: what is set anew rings once, and what is past at once", async () => {
  const { time, alarm, rang } = alarmed();
  using _ = time;
  alarm.set(Date.now() + 50);
  alarm.set(Date.now() + 100);
  await time.tickAsync(200);
  alarm.set(Date.now() - 1000);
  await time.tickAsync(0);
  alarm.set(Date.now() + 10);
  alarm.stop();
  await time.tickAsync(100);
  assertEquals(rang, [100, 200]);
});

Deno.test("alarm: a time that no timer reaches rings early, and not at once", async () => {
  const { time, alarm, rang } = alarmed();
  using _ = time;
  alarm.set(Date.now() + 2 ** 40);
  await time.tickAsync(1000);
  assertEquals(rang, []);
  alarm.stop();
});

Deno.test("alarm: a time that is put off, or taken back, is another before it comes", async () => {
  const { time, alarm, rang } = alarmed();
  using _ = time;
  const now = Date.now();
  alarm.set(now + 50);
  await time.tickAsync(20);
  alarm.set(now + 100);
  alarm.set(now + 90);
  await time.tickAsync(60);
  alarm.set(now + 110);
  await time.tickAsync(100);
  alarm.set(now + 300);
  alarm.set(Infinity);
  await time.tickAsync(200);
  alarm.set(now + 500);
  await time.tickAsync(200);
  assertEquals(rang, [110, 500]);
});
