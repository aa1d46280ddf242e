import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Hono } from "hono";
import { changeStream } from "../../page/change_stream.ts";
import type { StageEnv } from "../../shared/http/stage_env.ts";

/** What a stream says while the version of the index is one of these after the other. */
async function eventsOf(versions: string[]): Promise<string[]> {
  using time = new FakeTime();
  let asked = 0;
  const app = new Hono<StageEnv>().get("/", (c) =>
    changeStream(c, () => {
      const version = versions[Math.min(asked++, versions.length - 1)]!;
      return version === "down" ? Promise.reject(new Error("down")) : Promise.resolve(version);
    }));
  const response = await app.request("/");
  assertStringIncludes(response.headers.get("content-type")!, "text/event-stream");
  let isDone = false;
  const text = response.text().finally(() => isDone = true);
  while (!isDone) await time.tickAsync(1000);
  return [...(await text).matchAll(/event: (\w+)\ndata: (.*)/g)].map(([, event, data]) =>
    `${event} ${data}`.trim()
  );
}

Deno.test("changes: the version is said at first and when it is another one, and the stream ends by itself", async () => {
  assertEquals(await eventsOf(["1"]), ["changed 1", "end"]);
  assertEquals(await eventsOf(["1", "1", "2", "2", "3"]), [
    "changed 1",
    "changed 2",
    "changed 3",
    "end",
  ]);
});

Deno.test("changes: a stream breaks off when the index does not answer", async () => {
  assertEquals(await eventsOf(["1", "2", "down"]), ["changed 1", "changed 2"]);
});
