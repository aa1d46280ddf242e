import { assertEquals, assertLessOrEqual } from "@std/assert";
import {
  follow,
  type Sayable,
  speaksAt,
  type Spoken,
  spoken,
} from "../../../shared/core/attend/telling.ts";
import { times } from "../../../shared/core/attend/times.ts";

/** What is said at each of these times, when so much is so. */
function saidAt(times: readonly [now: number, keys: string[]][]): string[][] {
  let sayable: ReadonlyMap<string, Sayable> = new Map();
  return times.map(([now, keys]) => {
    const followed = follow(sayable, { keys, now });
    sayable = followed.sayable;
    return followed.due;
  });
}

Deno.test("follow() says what has been so for long enough, once", () => {
  assertEquals(
    saidAt([[0, ["a"]], [1, ["a", "b"]], [times.stands, ["a", "b"]], [times.stands + 1, [
      "a",
      "b",
    ]]]),
    [[], [], ["a"], ["b"]],
  );
});

Deno.test("follow() says nothing that is so now and then only, and again what was not so for a time", () => {
  assertEquals(
    saidAt([[0, ["a"]], [1, []], [times.stands, ["a"]], [2 * times.stands - 1, ["a"]]]),
    [
      [],
      [],
      [],
      [],
    ],
  );
  assertEquals(
    saidAt([[0, ["a"]], [times.stands, ["a"]], [times.stands + 1, []], [times.stands + 2, ["a"]], [
      2 * times.stands + 2,
      ["a"],
    ]]),
    [[], ["a"], [], [], ["a"]],
  );
});

Deno.test("follow() tells when to look again", () => {
  assertEquals(follow(new Map(), { keys: ["a"], now: 5 }).nextAt, 5 + times.stands);
  assertEquals(follow(new Map(), { keys: [], now: 5 }).nextAt, Infinity);
});

/** In an hour in which two reasons take turns every so many ms, how often one is said. */
function saidInAnHour(turnMs: number): number {
  let last: Spoken | undefined;
  let count = 0;
  for (let now = 0; now < 3600_000; now += 1000) {
    const reason = Math.floor(now / turnMs) % 2 === 0 ? "a" : "b";
    if (last?.reason === reason || now < speaksAt(last, reason)) continue;
    last = spoken(last, { reason, now });
    count++;
  }
  return count;
}

Deno.test("reasons that take turns are said the less often the longer they do, and each that lasts", () => {
  for (const turnMs of [7000, 8000, 30_000, 60_000, 240_000]) {
    assertLessOrEqual(saidInAnHour(turnMs), 19, String(turnMs));
  }
  assertEquals(saidInAnHour(900_000), 4);
  assertEquals(saidInAnHour(1200_000), 3);
});

Deno.test("a reason that was said is soon said to whoever comes later", () => {
  const first = spoken(undefined, { reason: "a", now: 0 });
  const second = spoken(first, { reason: "b", now: speaksAt(first, "b") });
  assertEquals(speaksAt(second, "b") - second.at, 7000);
  assertEquals(speaksAt(second, "a") - second.at, 7000);
});

Deno.test("of reasons that take turns four are said soon, and then each after a rest", () => {
  let last = spoken(undefined, { reason: "0", now: 0 });
  const rests = Array.from({ length: 6 }, (_, turn) => {
    const reason = `${turn + 1}`;
    const rest = Math.round(speaksAt(last, reason) - last.at);
    last = spoken(last, { reason, now: last.at + rest });
    return rest;
  });
  const { speakLeast, speakRefill } = times;
  const fifth = speakRefill - 3 * speakLeast;
  assertEquals(rests, [speakLeast, speakLeast, speakLeast, fifth, speakRefill, speakRefill]);
  const long = spoken(last, { reason: "x", now: last.at + 100 * speakRefill });
  assertEquals(long.budget, 3, "no more are saved up");
});
