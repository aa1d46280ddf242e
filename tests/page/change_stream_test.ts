import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Hono } from "hono";
import { changeStream, mostStreams } from "../../page/change_stream.ts";
import { onError } from "../../shared/http/problem.ts";
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

Deno.test("changes: beyond the streams that may be open one is a 503, until another has ended", async () => {
  using time = new FakeTime();
  let isUp = true;
  const version = () => isUp ? Promise.resolve("1") : Promise.reject(new Error("down"));
  const app = new Hono<StageEnv>().onError(onError).get("/", (c) => changeStream(c, version));
  isUp = false;
  for (let call = 0; call < 3; call++) assertEquals((await app.request("/")).status, 503);
  isUp = true;
  const open = await Promise.all(Array.from({ length: mostStreams }, () => app.request("/")));
  const refused = await app.request("/");
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assertEquals((await refused.json()).detail, "500 browsers listen: try again later");
  await open.pop()!.body!.cancel();
  await time.tickAsync(0);
  const texts = [await app.request("/"), ...open].map((response) => response.text());
  let isDone = false;
  const all = Promise.all(texts).finally(() => isDone = true);
  while (!isDone) await time.tickAsync(1000);
  assertEquals((await all).every((text) => text.includes("event: end")), true);
});

Deno.test("changes: a HEAD is answered and takes no stream's place", async () => {
  let asked = 0;
  const app = new Hono<StageEnv>().onError(onError)
    .get("/", (c) => changeStream(c, () => Promise.resolve(`${++asked}`)));
  for (let call = 0; call <= mostStreams; call++) {
    const { status, headers, body } = await app.request("/", { method: "HEAD" });
    assertEquals([status, headers.get("content-type"), body], [200, "text/event-stream", null]);
  }
  assertEquals(asked, 0);
  const stream = await app.request("/");
  assertEquals(stream.status, 200);
  await stream.body!.cancel();
});
