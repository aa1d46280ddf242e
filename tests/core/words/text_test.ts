import { assertEquals, assertLess } from "@std/assert";
import { limits } from "../../../shared/core/gang/limits.ts";
import { listed, quoted, shortened } from "../../../shared/core/words/text.ts";
import type { Situation } from "../../../shared/core/words/situation.ts";
import { title, whyPending, withEstimate } from "../../../shared/core/words/why_pending.ts";
import { gang, together } from "../../support/facts.ts";

Deno.test("text: what is short stays as it is", () => {
  assertEquals([shortened("five", 4), quoted("five"), listed(["a", "b"])], [
    "five",
    '"five"',
    "a, b",
  ]);
});

Deno.test("text: a value of a user is quoted up to 64 letters", () => {
  assertEquals(quoted("x".repeat(200_000)), `"${"x".repeat(63)}…"`);
  assertEquals(quoted("😀".repeat(40)).isWellFormed(), true);
});

Deno.test("text: of many names as many are listed as are read at a glance", () => {
  assertEquals(
    listed(Array.from({ length: 100 }, (_, index) => `default/gang-${index}`)),
    `${Array.from({ length: 12 }, (_, index) => `default/gang-${index}`).join(", ")} and 88 more`,
  );
  const ten = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(18));
  assertEquals(listed(ten), ten.join(", "));
  const wider = [...ten.slice(0, 9), "9".repeat(19)];
  assertEquals(listed(wider), `${ten.slice(0, 9).join(", ")} and 1 more`);
  assertEquals(listed([...ten, "x"]), `${ten.join(", ")} and 1 more`);
  assertEquals(listed(Array(3).fill("x".repeat(300))), `${"x".repeat(127)}… and 2 more`);
});

const long = (length: number) => "x".repeat(length);
const gangs = Array.from(
  { length: 100 },
  (_, index) => gang({ name: `${index}`.padStart(253, "g") }),
);
const group = title(together(...gangs));
const failed = [{ uid: "u", name: long(253), message: long(100_000) }];
const fit = { members: 0, of: 9, byPreemption: 1, shortOf: long(317) };
const ids = gangs.map(({ gang }) => `${gang.namespace}/${gang.name}`);

const situations: Situation[] = [
  { reason: "GroupIncomplete", title: group, absent: ids },
  { reason: "InsufficientResources", title: group, needed: 9, fit },
  { reason: "BehindInQueue", title: group, ahead: { gang: long(317), since: "2026" } },
  { reason: "MemberUnschedulable", gang: long(317), failed },
  { reason: "MemberLost", gang: long(317), pod: long(253), cause: "deleted" },
  { reason: "GangSwitched", title: group, other: long(100_000) },
  { reason: "WaitingForMembers", title: group, held: 1, need: 1, failed },
  { reason: "FunctionsUnreachable", title: group, url: long(2000), error: long(2000) },
  { reason: "FactsRefused", title: group, error: long(100_000) },
];

for (const situation of situations) {
  Deno.test(`why pending: ${situation.reason} is short, whatever it names`, () => {
    assertLess(whyPending(situation).message.length, limits.sentence + 1);
  });
}

Deno.test("why pending: what is added to a long sentence is not what is left out", () => {
  const startsAt = "2026-11-22T14:10:00.000Z";
  const message = withEstimate(long(2000), { startsAt });
  assertEquals(message.length, limits.sentence);
  assertEquals(message.endsWith("…; it is expected to start at 2026-11-22 14:10 UTC"), true);
});
