import { assertEquals } from "@std/assert";
import { arrived, gatheredAt } from "../../../shared/core/attend/gathering.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { start } from "../../support/attending.ts";

const { gatherMost, gatherPause } = times;

Deno.test("members that keep coming are waited for until they pause, and not for longer than a while", () => {
  const first = { first: start, last: start };
  const gathered = (last: number) => gatheredAt(arrived(first, last), last);
  assertEquals(gathered(start), start + gatherPause);
  assertEquals(gathered(start + 10), start + 10 + gatherPause);
  assertEquals(gathered(start + gatherMost), start + gatherMost);
});

Deno.test("where the clock was set back members are not waited for", () => {
  const before = { first: start, last: start + 10 };
  assertEquals(gatheredAt(before, start + 9), start + 9);
});

Deno.test("members that come after a long pause are the first of others", () => {
  const before = { first: start, last: start + 100 };
  const inTime = start + 100 + gatherMost;
  assertEquals(arrived(before, inTime), { first: start, last: inTime });
  assertEquals(arrived(before, inTime + 1), { first: inTime + 1, last: inTime + 1 });
});
