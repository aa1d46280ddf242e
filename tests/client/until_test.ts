import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Until } from "../../shared/client/until.ts";

Deno.test("Until waits for a change, or until the time is over, and whoever waits no more is not asked", async () => {
  using time = new FakeTime();
  const until = new Until();
  const over: string[] = [];
  const facts = { isThere: false, asked: 0 };
  const isThere = () => {
    facts.asked++;
    return facts.isThere;
  };
  void until.so(isThere, 100).then(() => over.push("first"));
  until.changed();
  await time.tickAsync(99);
  assertEquals(over, []);
  await time.tickAsync(1);
  assertEquals(over, ["first"], "the time is over");
  void until.so(isThere, 100).then(() => over.push("second"));
  facts.isThere = true;
  until.changed();
  await time.tickAsync(0);
  assertEquals(over, ["first", "second"], "it is so");
  await until.so(isThere, 100);
  const { asked } = facts;
  until.changed();
  assertEquals(facts.asked, asked);
});

Deno.test("Until waits for longer where a change says so", async () => {
  using time = new FakeTime();
  const until = new Until();
  let isOver = false;
  let end = Date.now() + 50;
  void until.over(() => end - Date.now()).then(() => isOver = true);
  await time.tickAsync(40);
  end += 40;
  until.changed();
  await time.tickAsync(49);
  assertEquals(isOver, false);
  await time.tickAsync(1);
  assertEquals(isOver, true);
});
