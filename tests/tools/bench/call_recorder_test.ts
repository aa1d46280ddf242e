import { assertEquals } from "@std/assert";
import { CallRecorder } from "../../../tools/bench/call_recorder.ts";

/** An extender whose bind calls wait until they are released, or dropped. */
function startExtender() {
  const opened = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<void>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      if (!request.url.endsWith("/bind")) return new Response(body);
      request.signal.addEventListener("abort", () => dropped.resolve());
      opened.resolve();
      await released.promise;
      return Response.json({ Error: "no room" });
    },
  );
  return {
    server,
    url: `http://127.0.0.1:${server.addr.port}`,
    opened: opened.promise,
    release: released.resolve,
    dropped: dropped.promise,
  };
}

const binding = JSON.stringify({ PodName: "train-1-0", PodNamespace: "bench" });

Deno.test("CallRecorder passes calls on and notes how long a bind call was open", async () => {
  const extender = startExtender();
  const recorder = new CallRecorder(extender.url);
  const filter = await fetch(`${recorder.url}/extender/filter`, { method: "POST", body: "{}" });
  assertEquals(await filter.text(), "{}");

  const bind = fetch(`${recorder.url}/extender/bind`, { method: "POST", body: binding });
  await extender.opened;
  const before = performance.now();
  extender.release();
  assertEquals(await (await bind).json(), { Error: "no room" });
  const [call, ...others] = recorder.take();
  assertEquals(others, []);
  assertEquals(call?.gang, "train-1");
  assertEquals((call?.openedAt ?? Infinity) <= before, true);
  assertEquals((call?.closedAt ?? -Infinity) >= before, true);
  assertEquals(recorder.take(), []);
  await recorder.stop();
  await extender.server.shutdown();
});

Deno.test("CallRecorder drops a call that its caller dropped", async () => {
  const extender = startExtender();
  const recorder = new CallRecorder(extender.url);
  const caller = new AbortController();
  const bind = fetch(`${recorder.url}/extender/bind`, {
    method: "POST",
    body: binding,
    signal: caller.signal,
  }).catch(({ name }) => name);
  await extender.opened;
  caller.abort();
  assertEquals(await bind, "AbortError");
  await extender.dropped;
  extender.release();
  await recorder.stop();
  await extender.server.shutdown();
});
