import { assertEquals } from "@std/assert";
import { arrived, gatheredAt } from "../../../shared/core/attend/gathering.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { start } from "../../support/attending.ts";

const { gatherMost, gatherPause } = times;

Deno.test("members that keep coming are waited for until they pause, and not for longer than a while", () => {
  const first = { first: start, last: start };
  assertEquals(gatheredAt(first), start + gatherPause);
  assertEquals(gatheredAt(arrived(first, start + 10)), start + 10 + gatherPause);
  assertEquals(gatheredAt(arrived(first, start + gatherMost)), start + gatherMost);
});

Deno.test("members that come after a long pause are the first of others", () => {
  const before = { first: start, last: start + 100 };
  const inTime = start + 100 + gatherMost;
  assertEquals(arrived(before, inTime), { first: start, last: inTime });
  assertEquals(arrived(before, inTime + 1), { first: inTime + 1, last: inTime + 1 });
});
