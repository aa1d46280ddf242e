import { assert, assertEquals, assertRejects } from "@std/assert";
import { KeptFetch, separateFetch } from "../../tools/http_client.ts";

/** A server that notes the ports from which it is called. */
function serve(ports: number[], answer: (url: string) => Response | Promise<Response>) {
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) => {
      ports.push(remoteAddr.port);
      return answer(request.url);
    },
  );
}

Deno.test("separateFetch() opens a connection for each call, and closes it when the call is aborted", async () => {
  const ports: number[] = [];
  const hungUp = Promise.withResolvers<void>();
  await using server = serve(ports, (url) => {
    if (!url.endsWith("/watch")) return new Response("done");
    return new Response(new ReadableStream({ cancel: () => hungUp.resolve() }));
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const separate = separateFetch({ tls: {} });
  for (let call = 0; call < 2; call++) {
    const controller = new AbortController();
    const response = await separate(url, { signal: controller.signal });
    assertEquals(await response.text(), "done");
    controller.abort();
  }
  assertEquals(new Set(ports).size, 2);

  const controller = new AbortController();
  const { body } = await separate(`${url}/watch`, { signal: controller.signal });
  const read = body!.getReader({ mode: "byob" }).read(new Uint8Array(1));
  controller.abort();
  await assertRejects(() => read, DOMException);
  await hungUp.promise;
});

Deno.test("KeptFetch keeps its connection until that does not answer in time, and then takes another", async () => {
  const ports: number[] = [];
  const silent = Promise.withResolvers<Response>();
  await using server = serve(
    ports,
    (url) => url.endsWith("/silent") ? silent.promise : new Response("done"),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  using kept = new KeptFetch({ tls: {} }, 500);
  const call = async () => await (await kept.fetch(url, {})).text();
  assertEquals([await call(), await call()], ["done", "done"]);
  const error = await assertRejects(() => kept.fetch(`${url}/silent`, {}), DOMException);
  assertEquals(error.name, "TimeoutError");
  assertEquals(await call(), "done");
  assertEquals(ports[0], ports[1]);
  assert(!ports.slice(0, 3).includes(ports[3]!), `connections were ${ports}`);
  silent.resolve(new Response());
});
