import {
  assert,
  assertEquals,
  assertNotStrictEquals,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { FakeTime, TimeError } from "@std/testing/time";

const RealDate = Date;
const realSetTimeout = setTimeout;

Deno.test("FakeTime fakes Date and timers until it is disposed of", () => {
  {
    using time = new FakeTime("2026-11-21T00:00:00Z");
    assertNotStrictEquals(Date, RealDate);
    assertEquals(new Date().toISOString(), "2026-11-21T00:00:00.000Z");
    assertEquals(time.start, RealDate.UTC(2026, 10, 21));
  }
  assertStrictEquals(Date, RealDate);
  assertStrictEquals(setTimeout, realSetTimeout);
});

Deno.test("FakeTime.tick() calls the timers that fall due, in order, each at its time", () => {
  using time = new FakeTime(1000);
  const calls: [string, number][] = [];
  setTimeout(() => calls.push(["late", Date.now()]), 20);
  setTimeout(() => calls.push(["early", Date.now()]), 10);
  const interval = setInterval(() => calls.push(["interval", Date.now()]), 8);
  time.tick(9);
  assertEquals(calls, [["interval", 1008]]);
  time.tick(11);
  clearInterval(interval);
  time.tick(100);
  assertEquals(calls, [["interval", 1008], ["early", 1010], ["interval", 1016], ["late", 1020]]);
  assertEquals(time.now, 1120);
});

Deno.test("FakeTime.tickAsync() runs promise callbacks between timers", async () => {
  using time = new FakeTime(0);
  const seen: number[] = [];
  const waiting = (async () => {
    for (let round = 0; round < 3; round++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      seen.push(Date.now());
    }
  })();
  await time.tickAsync(30);
  assertEquals(seen, [10, 20, 30]);
  await waiting;
});

Deno.test("FakeTime.next() goes to the next timer and says whether there was one", () => {
  using time = new FakeTime(0);
  let called = false;
  setTimeout(() => called = true, 500);
  assertEquals([time.next(), called, time.now], [true, true, 500]);
  assertEquals([time.next(), time.now], [false, 500]);
});

Deno.test("FakeTime.nextAsync() finds a timer that a promise callback sets", async () => {
  using time = new FakeTime(0);
  let called = false;
  const waiting = Promise.resolve().then(() => setTimeout(() => called = true, 500));
  assertEquals([await time.nextAsync(), called, time.now], [true, true, 500]);
  assertEquals([await time.nextAsync(), time.now], [false, 500]);
  await waiting;
});

Deno.test("FakeTime.runAll() and runAllAsync() run timers that timers set", async () => {
  using time = new FakeTime(0);
  let count = 0;
  const again = (): void => {
    count++;
    if (count % 3 !== 0) setTimeout(again, 10);
  };
  setTimeout(again, 10);
  time.runAll();
  assertEquals([count, time.now], [3, 30]);
  setTimeout(again, 10);
  await time.runAllAsync();
  assertEquals([count, time.now], [6, 60]);
});

Deno.test("FakeTime.now moves time forward when set, never back", () => {
  using time = new FakeTime(0);
  let called = false;
  setTimeout(() => called = true, 5);
  time.now = 5;
  assert(called);
  assertThrows(() => time.now = 4, RangeError, "in the past");
});

Deno.test("FakeTime refuses to be nested, restored twice, or started at no time", () => {
  {
    using _time = new FakeTime();
    assertThrows(() => new FakeTime(), TimeError, "already faked");
  }
  assertThrows(() => FakeTime.restore(), TimeError, "already restored");
  assertThrows(() => new FakeTime("yesterday"), TimeError, "yesterday");
  new FakeTime();
  FakeTime.restore();
  assertStrictEquals(Date, RealDate);
});
