import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { facts } from "../functions/caller.ts";
import { Service } from "../functions/service.ts";

const mine = "a".repeat(32);
const other = "b".repeat(32);
const vars = { MUSTER_TOKENS: JSON.stringify({ east: [mine], west: [other] }) };

/** Sends the form, as a browser does from a page of `from`. */
function signIn(
  service: Service,
  { token, to = "/page", from = "http://localhost", host = "" }: {
    token: string;
    to?: string;
    from?: string;
    host?: string;
  },
): Promise<Response> {
  return service.fetch(`${host}/page/sign-in?to=${encodeURIComponent(to)}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: from },
    body: new URLSearchParams({ token }).toString(),
  });
}

async function sessionOf(service: Service, token: string): Promise<Record<string, string>> {
  const response = await signIn(service, { token });
  assertEquals(response.status, 303);
  return { cookie: response.headers.get("set-cookie")!.split(";")[0]! };
}

Deno.test("sign-in: whoever is not signed in is asked for a token, and sees nothing", async () => {
  await using service = new Service(vars);
  await service.post("/v1/permit", facts, { authorization: `Bearer ${mine}` });
  const cookies = [{}, { cookie: "muster-token=" }, { cookie: `muster-token=${"c".repeat(32)}` }];
  for (const headers of cookies) {
    for (
      const path of [
        "/page",
        "/page/gangs/default/a",
        "/page/nodes",
        "/page/changes",
        "/page/nothing",
      ]
    ) {
      const { status, body } = await service.request(path, { headers });
      assertEquals(status, 401, path);
      assertStringIncludes(body, "<h1>Sign in</h1>");
      assertEquals(body.includes("default/a<"), false);
    }
  }
});

Deno.test("sign-in: a token opens the page of its cluster, by a cookie that goes nowhere else", async () => {
  await using service = new Service(vars);
  await service.post("/v1/permit", facts, { authorization: `Bearer ${mine}` });
  const response = await signIn(service, { token: ` ${mine} `, to: "/page/gangs/default/a" });
  assertEquals([response.status, response.headers.get("location")], [303, "/page/gangs/default/a"]);
  assertEquals(
    response.headers.get("set-cookie"),
    `muster-token=${mine}; Path=/page; HttpOnly; SameSite=Strict`,
  );
  const headers = await sessionOf(service, mine);
  const { status, body } = await service.request("/page", { headers });
  assertEquals(status, 200);
  assertStringIncludes(body, '<bdi title="east">east</bdi>');
  assertStringIncludes(body, 'id="gang/default/a"');
  assertStringIncludes(body, "Sign out");
  // The API takes no cookie, wherever it comes from.
  assertEquals((await service.request("/v1/gangs", { headers })).status, 401);
});

Deno.test("sign-in: the page shows one cluster and no other", async () => {
  await using service = new Service(vars);
  await service.post("/v1/permit", facts, { authorization: `Bearer ${mine}` });
  const headers = await sessionOf(service, other);
  assertStringIncludes((await service.request("/page", { headers })).body, "No gang yet");
  assertEquals((await service.request("/page/gangs/default/a", { headers })).status, 404);
});

Deno.test("sign-in: a bearer token does as well as a cookie", async () => {
  await using service = new Service(vars);
  const headers = { authorization: `Bearer ${mine}` };
  assertEquals((await service.request("/page", { headers })).status, 200);
});

Deno.test("sign-in: elsewhere than on loopback the cookie is for TLS only", async () => {
  await using service = new Service(vars);
  const proxied = { host: "", from: "https://muster.example.com" };
  const hosts = ["https://muster.example.com", "http://muster.example.com"];
  for (const { host, from } of [...hosts.map((host) => ({ host, from: host })), proxied]) {
    const response = await service.fetch(`${host}/page/sign-in`, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: from,
        "sec-fetch-site": "same-origin",
      },
      body: `token=${mine}`,
    });
    assertMatch(response.headers.get("set-cookie")!, /; HttpOnly; Secure; SameSite=Strict$/);
  }
});

Deno.test("sign-in: a wrong token is refused, with the reason and without a cookie", async () => {
  await using service = new Service(vars);
  for (const token of ["", "x", "c".repeat(32), `${mine} ${other}`, "\n", "ü".repeat(40)]) {
    const response = await signIn(service, { token });
    assertEquals([response.status, response.headers.get("set-cookie")], [401, null], token);
    assertMatch(await response.text(), /role="alert"/);
  }
});

Deno.test("sign-in: a form of another origin signs nobody in or out", async () => {
  await using service = new Service(vars);
  const refused = await signIn(service, { token: mine, from: "https://evil.example.com" });
  assertEquals([refused.status, refused.headers.get("set-cookie")], [403, null]);
  await refused.body?.cancel();
  const response = await service.fetch("/page/sign-out", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: "https://evil.example.com",
    },
    body: "",
  });
  await response.body?.cancel();
  assertEquals([response.status, response.headers.get("set-cookie")], [403, null]);
});

for (const to of ["/page", "/page?phase=Pending", "/page/nodes", "/page/gangs/default/a"]) {
  Deno.test(`sign-in: leads to "${to}", where that was asked for`, async () => {
    await using service = new Service(vars);
    const asked = await service.request(to);
    assertStringIncludes(asked.body, `action="/page/sign-in?to=${encodeURIComponent(to)}"`);
    const response = await signIn(service, { token: mine, to });
    assertEquals(response.headers.get("location"), to);
  });
}

for (
  const to of [
    "//evil.example.com",
    "https://evil.example.com",
    "/pages",
    "/page/nodes/x",
    "/page/../v1",
    "\\\\x",
    "",
  ]
) {
  Deno.test(`sign-in: leads to the page, not to "${to}"`, async () => {
    await using service = new Service(vars);
    const response = await signIn(service, { token: mine, to });
    assertEquals(response.headers.get("location"), "/page");
  });
}

Deno.test("sign-in: signing out takes the cookie away", async () => {
  await using service = new Service(vars);
  const response = await service.fetch("/page/sign-out", {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: "http://localhost",
      cookie: `muster-token=${mine}`,
    },
    body: "",
  });
  assertEquals(response.status, 303);
  assertMatch(response.headers.get("set-cookie")!, /^muster-token=; Max-Age=0; Path=\/page/);
});

Deno.test("sign-in: a form over the limit is refused", async () => {
  await using service = new Service(vars);
  const response = await signIn(service, { token: "x".repeat(20_000) });
  await response.body?.cancel();
  assertEquals([response.status, response.headers.get("set-cookie")], [413, null]);
});

Deno.test("sign-in: where no credential is configured, only callers on loopback see the page", async () => {
  await using service = new Service({ MUSTER_LOOPBACK: "" });
  const far = await service.fetch("/page", {}, "192.0.2.7");
  assertEquals(far.status, 503);
  assertStringIncludes(await far.text(), "No credential is configured");
  const near = await service.fetch("/page", {}, "127.0.0.1");
  await near.body?.cancel();
  assertEquals(near.status, 200);
});
