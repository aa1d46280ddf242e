import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { TimeLimit } from "../../shared/http/time_limit.ts";

const late = () => new Error("late");
const never = new Promise<never>(() => {});

for (const isKept of [false, true]) {
  const what = isKept ? "with a timer that is kept" : "with a timer while something runs";

  Deno.test(`time limit, ${what}: each has the whole time, whenever it begins`, async () => {
    using time = new FakeTime();
    const limit = new TimeLimit(100, { isKept });
    const ended: string[] = [];
    const begin = (name: string) =>
      limit.run(never, late).catch(({ message }) => void ended.push(`${name} ${message}`));
    const all = [begin("first")];
    await time.tickAsync(60);
    all.push(begin("second"));
    await time.tickAsync(39);
    assertEquals(ended, []);
    await time.tickAsync(1);
    assertEquals(ended, ["first late"]);
    await time.tickAsync(59);
    assertEquals(ended, ["first late"]);
    await time.tickAsync(1);
    assertEquals(ended, ["first late", "second late"]);
    await Promise.all(all);
    limit.stop();
  });

  Deno.test(`time limit, ${what}: a clock that is set back gives nobody more than one more time`, async () => {
    using time = new FakeTime();
    const limit = new TimeLimit(100, { isKept });
    const ended = assertRejects(() => limit.run(never, late), Error, "late");
    await time.tickAsync(50);
    const now = Date.now();
    Date.now = () => now - 3_600_000 + 100;
    await time.tickAsync(50);
    Date.now = () => now + 100;
    await time.tickAsync(100);
    await ended;
    limit.stop();
  });

  Deno.test(`time limit, ${what}: what is in time keeps its result, and no timer stays`, async () => {
    const limit = new TimeLimit(60_000, { isKept });
    assertEquals(await limit.run(Promise.resolve("done"), late), "done");
    await assertRejects(
      () => limit.run(Promise.reject(new Error("broken")), late),
      Error,
      "broken",
    );
    // The sanitizer finds a timer that is left.
    limit.stop();
  });

  Deno.test(`time limit, ${what}: what runs after its end leaves no timer either`, async () => {
    const limit = new TimeLimit(60_000, { isKept });
    limit.stop();
    assertEquals(await limit.run(Promise.resolve("after"), late), "after");
  });
}
