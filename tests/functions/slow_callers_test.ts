import { assertEquals, assertMatch } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Hono } from "hono";
import { onError } from "../../shared/http/problem.ts";
import { openCalls } from "../../shared/http/open_calls.ts";
import { bodyWithinMs } from "../../shared/http/request_body.ts";
import type { StageEnv } from "../../shared/http/stage_env.ts";
import { policy } from "../../functions/policy.ts";
import { extenderApp, type ExtenderParts } from "../../relay/scheduler/extender.ts";

const extender = extenderApp(
  { called: () => {} } as unknown as ExtenderParts,
);
const bindings = { MUSTER_LOOPBACK: "true", MUSTER_LOG_LEVEL: "error", GANGS: {}, INDEX: {} };

type App = (request: Request) => Response | Promise<Response>;

/** Serves an app on a free port until it is disposed of; `begun` resolves when so many calls have come. */
function serving(app: App, calls = 1) {
  const begun = Promise.withResolvers<void>();
  const aborting = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: aborting.signal,
    onListen: () => {},
  }, (request) => {
    const answer = app(request);
    if (--calls === 0) begun.resolve();
    return answer;
  });
  return {
    port: server.addr.port,
    begun: begun.promise,
    async [Symbol.asyncDispose]() {
      aborting.abort();
      await server.finished;
    },
  };
}

/** A connection that has sent so much. */
async function sent(port: number, text: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  return connection;
}

/** The first bytes of an answer: a short one whole. Deno keeps the connection for the rest of the body. */
async function answer(connection: Deno.TcpConn): Promise<string> {
  const buffer = new Uint8Array(4096);
  const read = await connection.read(buffer);
  return new TextDecoder().decode(buffer.subarray(0, read ?? 0));
}

function head(path: string, ...headers: string[]): string {
  const all = ["host: 127.0.0.1", "content-type: application/json", ...headers];
  return `POST ${path} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n`;
}

function post(path: string, { length, body }: { length: number; body: string }): string {
  return head(path, `content-length: ${length}`) + body;
}

const slowed: [what: string, app: App, path: string, type: RegExp][] = [
  ["functions", (request) => policy.fetch(request, bindings), "/v1/permit", /problem\+json/],
  ["extender", (request) => extender.fetch(request), "/extender/filter", /application\/json/],
];

for (const [what, app, path, type] of slowed) {
  Deno.test(`slow callers: a body that does not come in time is a 408 of the ${what}`, async () => {
    await using server = serving(app);
    using time = new FakeTime();
    using connection = await sent(server.port, post(path, { length: 100, body: '{"slow' }));
    await server.begun;
    // What stands before the body takes a few turns.
    for (let turn = 0; turn < 20; turn++) await time.tickAsync(0);
    await time.tickAsync(bodyWithinMs);
    const text = await answer(connection);
    assertMatch(text, /^HTTP\/1\.1 408 /);
    assertMatch(text, type);
    assertMatch(text, /did not arrive within 10 s/);
  });
}

Deno.test("slow callers: 500 half requests keep nobody from being answered", async () => {
  await using server = serving((request) => extender.fetch(request));
  const half = "POST /extender/filter HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ";
  const kept = await Promise.all(
    Array.from({ length: 500 }, (_, index) =>
      sent(
        server.port,
        index % 2 ? half : post("/extender/filter", { length: 100, body: '{"slow' }),
      )),
  );
  const response = await fetch(`http://127.0.0.1:${server.port}/extender/filter`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ Pod: { metadata: { name: "a", namespace: "b", uid: "c" }, spec: {} } }),
  });
  assertEquals(response.status, 200, await response.text());
  for (const connection of kept) connection.close();
});

const [east, west] = ["east", "west"].map((name) => name.repeat(8)) as [string, string];
const shared = {
  ...bindings,
  GANGS: {},
  MUSTER_TOKENS: JSON.stringify({ east: [east], west: [west] }),
};

const announcing: [what: string, app: App, path: string, headers: string[], status: number][] = [
  [
    "functions, without a length",
    (request) => policy.fetch(request, shared),
    "/v1/permit",
    ["transfer-encoding: chunked"],
    400,
  ],
  [
    "functions",
    (request) => policy.fetch(request, shared),
    "/v1/permit",
    [`content-length: ${4 * 1024 * 1024}`],
    400,
  ],
  [
    "extender",
    (request) => extender.fetch(request),
    "/extender/filter",
    [`content-length: ${8 * 1024 * 1024}`],
    400,
  ],
];

for (const [what, app, path, headers, status] of announcing) {
  Deno.test(`slow callers: bodies that are announced and do not come keep nobody out of the ${what}`, async () => {
    await using server = serving(app, 40);
    const request = head(path, `authorization: Bearer ${west}`, ...headers);
    const kept = await Promise.all(Array.from({ length: 40 }, () => sent(server.port, request)));
    await server.begun;
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${east}` },
      body: "{}",
    });
    assertEquals(response.status, status, await response.text());
    for (const connection of kept) connection.close();
  });
}

Deno.test("slow callers: beyond the calls that may be open one is a 503, until another has its answer", async () => {
  const gate = Promise.withResolvers<void>();
  const app = new Hono<StageEnv>().onError(onError);
  app.use("/of/:cluster", (c, next) => {
    c.set("cluster", c.req.param("cluster"));
    return next();
  });
  app.use(openCalls(2));
  app.get("/of/:cluster", async (c) => {
    await gate.promise;
    return c.text("answered");
  });
  app.get("/fails", () => {
    throw new Error("it fails");
  });
  const open = [app.request("/of/west"), app.request("/of/west")];
  const refused = await app.request("/of/west");
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  // Who has fewer is let in.
  open.push(app.request("/of/east"));
  assertEquals((await app.request("/of/east")).status, 503);
  gate.resolve();
  for (const answer of open) assertEquals(await (await answer).text(), "answered");
  for (let call = 0; call < 3; call++) assertEquals((await app.request("/fails")).status, 503);
  assertEquals(await (await app.request("/of/west")).text(), "answered");
});

Deno.test("slow callers: beyond the readers that the page may have at a time one is a 503, until another has an answer", async () => {
  const store = Promise.withResolvers<undefined>();
  const slow = { ...bindings, INDEX: { getByName: () => ({ map: () => store.promise }) } };
  const ask = () => policy.request("http://localhost/page/nodes", {}, slow);
  const open = Array.from({ length: 500 }, ask);
  const refused = await ask();
  assertEquals([refused.status, refused.headers.get("retry-after")], [503, "1"]);
  assertMatch(await refused.text(), /500 calls are open: ask again later/);
  assertEquals((await policy.request("http://localhost/healthz")).status, 200);
  store.resolve(undefined);
  for (const answer of open) assertEquals((await answer).status, 200);
  assertEquals((await ask()).status, 200);
});

Deno.test("slow callers: 500 half sign-ins close the page to nobody who is signed in", async () => {
  const map = () => Promise.resolve(undefined);
  const store = { ...shared, GANGS: {}, INDEX: { getByName: () => ({ map }) } };
  const halves = Array.from({ length: 500 }, () => new TransformStream());
  const signIns = halves.map(({ readable }) =>
    policy.request("http://localhost/page/sign-in", {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: "http://localhost",
      },
      body: readable,
    }, store)
  );
  const headers = { cookie: `muster-token=${east}` };
  const response = await policy.request("http://localhost/page/nodes", { headers }, store);
  assertEquals(response.status, 200, await response.text());
  await Promise.all(halves.map(({ writable }) => writable.close()));
  const statuses = (await Promise.all(signIns)).map(({ status }) => status);
  assertEquals(statuses, Array.from(halves, (_, index) => index < 100 ? 401 : 503));
});
