import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { bearer, callAs, facts, operations } from "./caller.ts";
import { Service } from "./service.ts";

const tokens = {
  first: "first-0123456789abcdef0123456789abcdef",
  next: "next-0123456789abcdef0123456789abcdef",
  other: "other-0123456789abcdef0123456789abcdef",
};
const vars = {
  MUSTER_TOKENS: JSON.stringify({ east: [tokens.first, tokens.next], west: [tokens.other] }),
};

Deno.test("callers: without a credential configured only loopback is served", async (t) => {
  await using service = new Service();
  const callers: [from: string | undefined, url: string, refused?: 403 | 503][] = [
    ["127.0.0.1", "http://127.0.0.1:8080"],
    ["127.8.8.8", "http://localhost"],
    ["::1", "http://[::1]:8080"],
    ["::ffff:127.0.0.1", "http://localhost"],
    // A workerd that is bound to loopback.
    [undefined, "http://localhost:8080"],
    ["10.0.0.7", "http://127.0.0.1", 503],
    ["127.evil.example", "http://127.0.0.1", 503],
    ["2001:db8::127.0.0.1", "http://localhost", 503],
    // A page whose name was made to mean 127.0.0.1.
    ["127.0.0.1", "http://evil.example:8080", 403],
    ["127.0.0.1", "http://127.0.0.1.evil.example", 403],
    ["127.0.0.1", "http://localhost.evil.example", 403],
    [undefined, "https://muster.example", 403],
  ];
  for (const [from, url, refused] of callers) {
    await t.step(`${url} from ${from}`, async () => {
      for (const [method, path] of operations) {
        const { status, body } = await callAs(service, {
          operation: [method, url + path],
          headers: { "x-muster-cluster": "east" },
          ...(from !== undefined && { from }),
        });
        assertEquals([403, 503].find((one) => one === status), refused, JSON.stringify(body));
        if (refused) assertStringIncludes(body.detail, "set MUSTER_TOKENS or MUSTER_ISSUERS");
      }
    });
  }
});

const elsewhere: Record<string, string>[] = [
  { "x-forwarded-for": "10.0.0.7" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-host": "muster.example" },
  { "x-forwarded-proto": "https" },
  { "x-real-ip": "10.0.0.7" },
  { forwarded: "for=10.0.0.7" },
  { via: "1.1 proxy" },
  { origin: "https://evil.example" },
  { origin: "http://127.0.0.1.evil.example" },
  { origin: "null" },
  { origin: "http://[" },
  { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  { "sec-fetch-site": "cross-site", origin: "http://localhost" },
];

Deno.test("callers: without a credential configured nobody is served by a proxy, or by a page elsewhere", async (t) => {
  await using service = new Service();
  for (const headers of elsewhere) {
    await t.step(JSON.stringify(headers), async () => {
      for (const operation of operations) {
        const { status, body } = await callAs(service, { operation, headers, from: "127.0.0.1" });
        assertEquals([status, body.title], [403, "Not local"]);
        assertStringIncludes(body.detail, `header ${Object.keys(headers)[0]} says`);
        assertStringIncludes(body.detail, "set MUSTER_TOKENS or MUSTER_ISSUERS");
      }
      const page = await service.request("/page", { headers });
      assertEquals(page.status, 403);
    });
  }
});

Deno.test("callers: without a credential configured a browser on this machine is served, and a link leads to the page", async () => {
  await using service = new Service();
  const near: Record<string, string>[] = [
    { origin: "http://localhost", "sec-fetch-site": "same-origin" },
    { origin: "http://127.0.0.1:8080" },
    { origin: "null", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  ];
  for (const headers of near) {
    assertEquals(
      (await service.request("/page", { headers })).status,
      200,
      JSON.stringify(headers),
    );
  }
});

Deno.test("callers: with a credential, proxies and pages are as good as anybody", async () => {
  await using service = new Service(vars);
  for (const headers of elsewhere) {
    const { status } = await callAs(service, { headers: { ...headers, ...bearer(tokens.first) } });
    assertEquals(status, 200);
  }
});

const scoped = {
  MUSTER_TOKENS: JSON.stringify({
    east: [tokens.first, { token: tokens.next, scope: "read" }],
    west: [{ token: tokens.other, scope: "full" }],
  }),
};

Deno.test("callers: a token of scope read sees its cluster and asks no stage", async () => {
  await using service = new Service(scoped);
  assertEquals((await service.post("/v1/permit", facts, bearer(tokens.first))).status, 200);
  for (const operation of operations) {
    const { status, body, challenge } = await callAs(service, {
      operation,
      headers: bearer(tokens.next),
    });
    const [method, path] = operation;
    if (method === "GET") {
      assertEquals(status, 200, path);
      continue;
    }
    assertEquals([status, body.title], [403, "Not permitted"]);
    assertStringIncludes(body.detail, `has scope "read", but POST ${path} needs scope "full"`);
    assertStringIncludes(challenge ?? "", 'error="insufficient_scope", scope="full"');
  }
  // Nothing is read of what it may not ask.
  assertEquals((await service.post("/v1/permit", "{", bearer(tokens.next))).status, 403);
  const page = await service.request("/page", {
    headers: { cookie: `muster-token=${tokens.next}` },
  });
  assertEquals([page.status, page.body.includes("default/a")], [200, true]);
  assertEquals((await service.post("/v1/permit", facts, bearer(tokens.other))).status, 200);
});

Deno.test("callers: where the host tells nothing of them, nobody is served", async () => {
  await using service = new Service({ MUSTER_LOOPBACK: "" });
  assertEquals((await callAs(service, {})).status, 503);
  assertEquals((await callAs(service, { headers: bearer(tokens.first) })).status, 503);
});

Deno.test("callers: each of a cluster's tokens speaks for it", async () => {
  await using service = new Service(vars);
  for (const token of [tokens.first, tokens.next]) {
    for (const headers of [{}, { "x-muster-cluster": "east" }]) {
      const { status } = await callAs(service, { headers: { ...headers, ...bearer(token) } });
      assertEquals(status, 200);
    }
  }
  const lower = { authorization: `bearer  ${tokens.other}` };
  assertEquals((await callAs(service, { headers: lower })).status, 200);
});

Deno.test("callers: whoever has no token of the list gets a 401 on every route, from loopback too", async () => {
  await using service = new Service(vars);
  const wrong = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    tokens.first,
    `Basic ${btoa(`muster:${tokens.first}`)}`,
    `Bearer ${tokens.first.slice(0, -1)}`,
    `Bearer ${tokens.first}x`,
    `Bearer ${tokens.first.toUpperCase()}`,
    `Bearer ${tokens.first} ${tokens.next}`,
    `Bearer ${tokens.first},${tokens.next}`,
    "Bearer undefined",
    "Bearer [object Object]",
    `Bearer ${"x".repeat(8000)}`,
  ];
  for (const operation of operations) {
    for (const authorization of wrong) {
      const { status, body, challenge } = await callAs(service, {
        operation,
        headers: authorization === undefined ? {} : { authorization },
        from: "127.0.0.1",
      });
      assertEquals([status, body.title], [401, "Not authenticated"], authorization);
      assertMatch(challenge ?? "", /^Bearer realm="muster"(, error="invalid_token", .*)?$/);
    }
  }
});

Deno.test("callers: a credential of one cluster and the name of another are a 403 on every route", async () => {
  await using service = new Service(vars);
  for (const operation of operations) {
    for (const cluster of ["west", "East", "default", "a|b", ""]) {
      const headers = { ...bearer(tokens.first), "x-muster-cluster": cluster };
      const { status, body } = await callAs(service, { operation, headers });
      assertEquals([status, body.title], [403, "Not your cluster"]);
    }
  }
});

Deno.test("callers: two clusters neither see nor touch each other's gangs", async () => {
  await using service = new Service(vars);
  const ask = async (token: string, path: string, body?: unknown) =>
    await (body === undefined
      ? service.request(path, { headers: bearer(token) })
      : service.post(path, body, bearer(token)));
  const told = (epoch: number) => ({ ...facts, relay: { id: "relay", epoch } });
  const lost = [{ pod: facts.gangs[0]!.held[0], cause: "gone" }];

  const mine = (await ask(tokens.first, "/v1/permit", told(1))).body;
  assertEquals(mine.verdict, "wait");
  assertEquals((await ask(tokens.other, "/v1/gangs")).body, { gangs: [] });
  assertEquals((await ask(tokens.other, "/v1/gangs/default/a")).status, 404);

  // The same gang, relay and epoch there is another gang.
  await ask(tokens.other, "/v1/permit", told(1));
  await ask(tokens.other, "/v1/postfilter", { ...told(2), failed: [{ uid: "x", message: "no" }] });
  await ask(tokens.other, "/v1/unreserve", { ...told(3), lost });
  const before = (await ask(tokens.first, "/v1/gangs/default/a")).body;
  assertEquals(before.deadline, mine.deadline);
  assertEquals(before.decisions.length, 1);
  assertEquals((await ask(tokens.next, "/v1/permit", told(1))).body, mine);
  assertEquals((await ask(tokens.first, "/v1/gangs")).body.gangs.length, 1);
});

Deno.test("callers: documents and health need no credential, and no other origin may read anything", async () => {
  await using service = new Service(vars);
  for (const path of ["/openapi.json", "/docs", "/healthz"]) {
    assertEquals((await service.request(path)).status, 200, path);
  }
  for (const [, path] of operations) {
    const response = await service.fetch(path, {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
      },
    });
    assert(!response.ok);
    assertEquals([...response.headers.keys()].filter((name) => name.startsWith("access-")), []);
    await response.body?.cancel();
  }
});

Deno.test("callers: a request that fails is one line with its id and trace, and no secret is told", async () => {
  await using service = new Service(vars);
  const trace = "0af7651916cd43dd8448eb211c80319c";
  const marked = { "x-request-id": "r-1", traceparent: `00-${trace}-b7ad6b7169203331-01` };
  const secret = "secret-0123456789abcdef0123456789abcdef";
  const texts: string[] = [];
  const calls = [
    { ...bearer(secret) },
    { ...bearer(tokens.first), "x-muster-cluster": secret },
    { authorization: secret },
    { ...bearer(tokens.first) },
  ];
  for (const headers of calls) {
    const path = `/v1/permit?access_token=${secret}`;
    const answer = await service.post(path, "{", { ...marked, ...headers });
    texts.push(JSON.stringify(answer.body));
  }
  const lines = service.log.map((line) => JSON.parse(line));
  assertEquals(lines.map(({ status }) => status), [401, 403, 401, 400]);
  assertEquals(lines.map(({ cluster }) => cluster), [undefined, "east", undefined, "east"]);
  for (const line of lines) {
    assertEquals([line.level, line.requestId, line.traceId], ["warn", "r-1", trace]);
    assertStringIncludes(line.message, "POST /v1/permit failed: ");
    assertEquals(typeof line.detail, "string");
  }
  const told = [...texts, ...service.log].join("\n");
  for (const word of [secret, ...Object.values(tokens)]) assertEquals(told.includes(word), false);
});

Deno.test("callers: requests that succeed are not logged", async () => {
  await using service = new Service(vars);
  assertEquals((await callAs(service, { headers: bearer(tokens.first) })).status, 200);
  assertEquals(service.log, []);
});

Deno.test("callers: variables that can not be used are a 503 that tells a stranger nothing", async () => {
  await using service = new Service({ MUSTER_TOKENS: `{"east": ["${tokens.first}"` });
  const { status, body } = await callAs(service, { headers: bearer(tokens.first) });
  assertEquals([status, body.title], [503, "Not configured"]);
  assertEquals(JSON.parse(service.log[0]!).error.includes("MUSTER_TOKENS is not JSON"), true);
  assertEquals(service.log.join().includes(tokens.first), false);
});
