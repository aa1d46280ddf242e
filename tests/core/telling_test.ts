import { assertEquals } from "@std/assert";
import { follow, type Standing, standsMs } from "../../shared/core/telling.ts";

/** What is said at each of these times, when so much is so. */
function saidAt(times: readonly [now: number, keys: string[]][]): string[][] {
  let standings: ReadonlyMap<string, Standing> = new Map();
  return times.map(([now, keys]) => {
    const followed = follow(standings, { keys, now });
    standings = followed.standings;
    return followed.due;
  });
}

Deno.test("follow() says what has been so for long enough, once", () => {
  assertEquals(
    saidAt([[0, ["a"]], [1, ["a", "b"]], [standsMs, ["a", "b"]], [standsMs + 1, ["a", "b"]]]),
    [[], [], ["a"], ["b"]],
  );
});

Deno.test("follow() says nothing that is so now and then only, and again what was not so for a time", () => {
  assertEquals(saidAt([[0, ["a"]], [1, []], [standsMs, ["a"]], [2 * standsMs - 1, ["a"]]]), [
    [],
    [],
    [],
    [],
  ]);
  assertEquals(
    saidAt([[0, ["a"]], [standsMs, ["a"]], [standsMs + 1, []], [standsMs + 2, ["a"]], [
      2 * standsMs + 2,
      ["a"],
    ]]),
    [[], ["a"], [], [], ["a"]],
  );
});

Deno.test("follow() tells when to look again", () => {
  assertEquals(follow(new Map(), { keys: ["a"], now: 5 }).nextAt, 5 + standsMs);
  assertEquals(follow(new Map(), { keys: [], now: 5 }).nextAt, Infinity);
});
