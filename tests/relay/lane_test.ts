import { assertEquals, assertRejects } from "@std/assert";
import { Lane } from "../../relay/kube/lane.ts";

Deno.test("lane: so many run at a time, the others wait in their order, and a failure holds nobody up", async () => {
  const lane = new Lane(2);
  const begun: string[] = [];
  const jobs = ["a", "b", "c", "d"].map((name) => {
    const end = Promise.withResolvers<string>();
    const done = lane.run(() => {
      begun.push(name);
      return end.promise;
    });
    return { end, done };
  });
  const [a, b, c, d] = jobs as [typeof jobs[0], typeof jobs[0], typeof jobs[0], typeof jobs[0]];
  assertEquals([begun, lane.length], [["a", "b"], 2]);
  b.end.reject(new Error("refused"));
  await assertRejects(() => b.done, Error, "refused");
  c.end.resolve("c");
  assertEquals(await c.done, "c");
  d.end.resolve("d");
  assertEquals(await d.done, "d");
  assertEquals(begun, ["a", "b", "c", "d"]);
  a.end.resolve("a");
  assertEquals([await a.done, lane.length], ["a", 0]);
});
