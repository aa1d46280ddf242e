import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { KeptFetch, separateFetch } from "../../cli/http_client.ts";
import { Link } from "../../tools/link.ts";

/** A server that answers by the URL, and by the port from which it is called. */
function serve(answer: (url: string, port: number) => Response | Promise<Response>) {
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }, { remoteAddr }) => answer(url, remoteAddr.port),
  );
}

Deno.test("separateFetch() opens a connection for each call, and closes it when the call is aborted", async () => {
  const ports: number[] = [];
  const hungUp = Promise.withResolvers<void>();
  await using server = serve((url, port) => {
    ports.push(port);
    if (!url.endsWith("/watch")) return new Response("done");
    return new Response(new ReadableStream({ cancel: () => hungUp.resolve() }));
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  let silences = 0;
  const separate = separateFetch({ tls: {} }, () => silences++);
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
  assertEquals(silences, 0);

  const silent = separate(`${url}/watch`, { signal: AbortSignal.timeout(1) });
  await assertRejects(async () => await (await silent).text(), DOMException);
  assertEquals(silences, 1);
});

Deno.test("KeptFetch takes another connection after a call that got no answer in time", async () => {
  await using server = serve(() => new Response("done"));
  await using proxy = new Link(server.addr.port);
  const url = `http://127.0.0.1:${proxy.port}`;
  for (const isOwnLimit of [true, false]) {
    using kept = new KeptFetch({ tls: {} }, isOwnLimit ? 500 : 60_000);
    const call = async (init: RequestInit = {}) => await (await kept.fetch(url, init)).text();
    const before = proxy.count;
    assertEquals([await call(), await call(), proxy.count - before], ["done", "done", 1]);
    proxy.silence();
    const init = isOwnLimit ? {} : { signal: AbortSignal.timeout(500) };
    const error = await assertRejects(() => call(init), DOMException);
    assertEquals(error.name, "TimeoutError");
    assertEquals([await call(), proxy.count - before], ["done", 2]);
  }
});

Deno.test("KeptFetch renews its connection, also while a call waits for its answer", async () => {
  const late = Promise.withResolvers<Response>();
  const isAsked = Promise.withResolvers<void>();
  await using server = serve((url) => {
    if (!url.endsWith("/late")) return new Response("done");
    isAsked.resolve();
    return late.promise;
  });
  await using proxy = new Link(server.addr.port);
  const url = `http://127.0.0.1:${proxy.port}`;
  using kept = new KeptFetch({ tls: {} });
  const waiting = kept.fetch(`${url}/late`, {});
  await isAsked.promise;
  kept.renew();
  assertEquals(await (await kept.fetch(url, {})).text(), "done");
  late.resolve(new Response("late"));
  assertEquals([await (await waiting).text(), proxy.count], ["late", 2]);
});

Deno.test("KeptFetch ends a call whose own signal is aborted, and keeps its connection", async () => {
  await using server = serve(() => new Response("done"));
  await using proxy = new Link(server.addr.port);
  const url = `http://127.0.0.1:${proxy.port}`;
  using kept = new KeptFetch({ tls: {} });
  assertEquals(await (await kept.fetch(url, {})).text(), "done");
  await assertRejects(() => kept.fetch(url, { signal: AbortSignal.abort() }), DOMException);
  assertEquals([await (await kept.fetch(url, {})).text(), proxy.count], ["done", 1]);
});

/** A server with a certificate of the cluster's CA. */
function clusterServer() {
  return Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: pem("cluster"),
    key: pem("cluster_key"),
    onListen: () => {},
  }, () => new Response("done"));
}

function pem(name: string): string {
  return Deno.readTextFileSync(new URL(`certificates/${name}.pem`, import.meta.url));
}

Deno.test("KeptFetch and separateFetch() trust the next CA of a cluster that rotates it", async () => {
  await using server = clusterServer();
  const url = `https://127.0.0.1:${server.addr.port}`;
  let ca = pem("public_ca");
  const connection = {
    get tls() {
      return { ca };
    },
  };
  using kept = new KeptFetch(connection);
  const separate = separateFetch(connection, () => {});
  ca = pem("cluster_ca");
  await assertRejects(() => kept.fetch(url, {}), TypeError);
  assertEquals(await (await kept.fetch(url, {})).text(), "done");
  const controller = new AbortController();
  assertEquals(await (await separate(url, { signal: controller.signal })).text(), "done");
  controller.abort();
});

Deno.test("KeptFetch keeps its connection while the CA can not be read, and takes another one after that", async () => {
  await using server = clusterServer();
  const url = `https://127.0.0.1:${server.addr.port}`;
  let ca: string | undefined = pem("public_ca");
  const connection = {
    get tls() {
      if (ca === undefined) throw new Error("ca.crt is not there");
      return { ca };
    },
  };
  using kept = new KeptFetch(connection);
  ca = undefined;
  for (let call = 0; call < 2; call++) {
    const { cause } = await assertRejects(() => kept.fetch(url, {}), TypeError);
    assertStringIncludes(String(cause), "certificate");
  }
  kept.renew();
  ca = pem("cluster_ca");
  await assertRejects(() => kept.fetch(url, {}), TypeError);
  assertEquals(await (await kept.fetch(url, {})).text(), "done");
});
