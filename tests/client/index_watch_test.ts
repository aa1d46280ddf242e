import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { IndexWatch } from "../../shared/client/index_watch.ts";

const away = new TypeError("connection refused");

Deno.test("index watch: another name says that the index was lost, and no name or answer says nothing", async () => {
  const cases: [what: string, names: (string | undefined | Error)[], lost: number][] = [
    ["it stays", ["a", "a", "a"], 0],
    ["it is begun anew", ["a", "b", "b"], 1],
    ["it is begun anew twice", ["a", "b", "a"], 2],
    ["functions of before do not name it", [undefined, undefined], 0],
    ["functions of before come and go", ["a", undefined, "a"], 0],
    ["functions of after come", [undefined, "a", "a"], 0],
    ["it is begun anew during an outage", ["a", away, "b"], 1],
  ];
  for (const [what, names, expected] of cases) {
    using time = new FakeTime();
    let asked = 0, lost = 0;
    const queueSort = async () => {
      const index = names[Math.min(asked++, names.length - 1)];
      if (index instanceof Error) return await Promise.reject(index);
      return { keys: [], ...(index !== undefined && { index }) };
    };
    const watch = new IndexWatch({ queueSort }, () => lost++);
    watch.lead(true);
    await time.tickAsync(30_000 * (names.length - 1));
    assertEquals([asked, lost], [names.length, expected], what);
    watch.lead(false);
    await time.tickAsync(90_000);
    assertEquals(asked, names.length, `${what}: nobody asks who does not lead`);
  }
});
