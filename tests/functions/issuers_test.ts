import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { type CryptoKey, decodeJwt, exportSPKI, importJWK, SignJWT } from "jose";
import { runs } from "../property/runs.ts";
import { bearer, callAs } from "./caller.ts";
import { Service } from "./service.ts";
import { issuer, relaySubject, TokenMaker, unsigned } from "./token_maker.ts";

const east = await TokenMaker.create("east-key");
const west = await TokenMaker.create("west-key", "RS256");
const stranger = await TokenMaker.create("east-key");

/** Both clusters call themselves alike, as clusters do that were not told otherwise. */
const trusted = [
  { issuer, audience: "muster", cluster: "east", jwks: { keys: [east.publicJwk] } },
  { issuer, audience: "muster", cluster: "west", jwks: { keys: [west.publicJwk] } },
];
const vars = { MUSTER_ISSUERS: JSON.stringify(trusted) };
const audience = ["https://kubernetes.default.svc.cluster.local", "muster"];

Deno.test("issuers: a genuine token speaks for the cluster that signed it", async () => {
  await using service = new Service(vars);
  const tokens: [cluster: string, token: string][] = [
    ["east", await east.token()],
    ["east", await east.token({ aud: "muster" })],
    ["east", await east.token({ aud: audience })],
    ["east", await east.token({}, { expiresIn: -5 })],
    ["west", await west.token()],
    ["west", await west.token({}, { headers: { kid: undefined } })],
  ];
  for (const [cluster, token] of tokens) {
    const [own, other] = cluster === "east" ? ["east", "west"] : ["west", "east"];
    const call = async (named: Record<string, string>) =>
      (await callAs(service, { headers: { ...bearer(token), ...named } })).status;
    const statuses = [
      await call({}),
      await call({ "x-muster-cluster": own }),
      await call({ "x-muster-cluster": other }),
    ];
    assertEquals(statuses, [200, 200, 403], JSON.stringify(decodeJwt(token)));
  }
});

Deno.test("issuers: readers see their cluster and ask no stage", async () => {
  await using service = new Service(vars);
  const sub = "system:serviceaccount:muster-system:muster-reader";
  const status = async (token: string, operation: [string, string]) =>
    (await callAs(service, { headers: bearer(token), operation })).status;
  const reader = await east.token({ sub });
  assertEquals(await status(reader, ["GET", "/v1/gangs"]), 200);
  assertEquals(await status(reader, ["POST", "/v1/permit"]), 403);

  const named = trusted.map((one) => ({ ...one, readSubjects: ["viewer", relaySubject] }));
  await using other = new Service({ MUSTER_ISSUERS: JSON.stringify(named) });
  const call = async (token: string, operation: [string, string]) =>
    (await callAs(other, { headers: bearer(token), operation })).status;
  const viewer = await east.token({ sub: "viewer" });
  assertEquals(await call(viewer, ["GET", "/v1/gangs"]), 200);
  assertEquals(await call(viewer, ["POST", "/v1/permit"]), 403);
  assertEquals(await call(reader, ["GET", "/v1/gangs"]), 403);
  // Whoever is among both may do all.
  assertEquals(await call(await east.token(), ["POST", "/v1/permit"]), 200);
});

Deno.test("issuers: what is not genuine, or not for Muster, is a 401 that says no more than it may", async (t) => {
  await using service = new Service(vars);
  const genuine = await east.token();
  const [header, payload, signature] = genuine.split(".") as [string, string, string];
  const publicKey = await importJWK(east.publicJwk, "ES256") as CryptoKey;
  const shared = new TextEncoder().encode(await exportSPKI(publicKey));
  const claims = decodeJwt(genuine);
  const confused = (key: Uint8Array) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "east-key" }).sign(key);
  const other = (await east.token({ sub: "system:serviceaccount:kube-system:x" })).split(".")[1];
  const unknown = "none of those that are accepted";
  const cases: [name: string, token: string, says: string][] = [
    ["another key of the same name", await stranger.token(), unknown],
    ["another issuer", await east.token({ iss: "https://evil.example" }), unknown],
    ["no issuer", await east.token({ iss: undefined }), unknown],
    ["an unknown kid", await east.token({}, { headers: { kid: "x" } }), unknown],
    ["the other cluster's kid", await east.token({}, { headers: { kid: "west-key" } }), unknown],
    ["alg none", unsigned({ alg: "none", kid: "east-key" }, claims), unknown],
    ["alg NONE", unsigned({ alg: "NONE", kid: "east-key" }, claims), unknown],
    ["alg none with a signature", `${unsigned({ alg: "none" }, claims)}${signature}`, unknown],
    ["HS256 with the public key", await confused(shared), unknown],
    [
      "HS256 with the public JWK",
      await confused(new TextEncoder().encode(JSON.stringify(east.publicJwk))),
      unknown,
    ],
    ["no signature", `${header}.${payload}.`, unknown],
    ["a truncated signature", `${header}.${payload}.${signature.slice(0, -6)}`, unknown],
    ["a truncated token", genuine.slice(0, genuine.length / 2), unknown],
    ["other claims under the signature", `${header}.${other}.${signature}`, unknown],
    ["expired", await east.token({}, { expiresIn: -60 }), "has expired"],
    ["no end", await east.token({ exp: undefined }), "claim exp"],
    ["an end that is a text", await east.token({ exp: "never" }), "claim exp"],
    ["not yet valid", await east.token({}, { validIn: 60 }), "not valid yet"],
    ["another audience", await east.token({ aud: ["vault"] }), "claim aud"],
    ["no audience", await east.token({ aud: undefined }), "claim aud"],
    ["part of the audience", await east.token({ aud: "must" }), "claim aud"],
    ["no subject", await east.token({ sub: undefined }), "claim sub"],
  ];
  for (const [name, token, says] of cases) {
    await t.step(name, async () => {
      const { status, body, challenge } = await callAs(service, { headers: bearer(token) });
      assertEquals(status, 401);
      assertStringIncludes(body.detail, says);
      assertStringIncludes(challenge!, `error="invalid_token"`);
      const told = JSON.stringify(body) + challenge + service.log.at(-1);
      for (const part of token.split(".")) assert(part === "" || !told.includes(part));
    });
  }
});

Deno.test("issuers: any other workload of the cluster is a 403", async () => {
  await using service = new Service(vars);
  for (const sub of ["system:serviceaccount:default:default", "admin", `${relaySubject}2`, 7]) {
    const headers = bearer(await east.token({ sub }));
    const { status, body } = await callAs(service, { headers });
    assertEquals([status, body.title], [403, "Not permitted"]);
    assertStringIncludes(body.detail, relaySubject);
  }
  const subjects = ["system:serviceaccount:a:b"];
  await using another = new Service({
    MUSTER_ISSUERS: JSON.stringify([{ ...trusted[0], subjects }]),
  });
  const call = async (sub: string) =>
    (await callAs(another, { headers: bearer(await east.token({ sub })) })).status;
  assertEquals([await call(subjects[0]!), await call(relaySubject)], [200, 403]);
});

Deno.test("issuers: tokens of a list are accepted beside them", async () => {
  const token = "token-0123456789abcdef0123456789abcdef";
  await using service = new Service({ ...vars, MUSTER_TOKENS: JSON.stringify({ east: [token] }) });
  for (const credential of [token, await west.token()]) {
    assertEquals((await callAs(service, { headers: bearer(credential) })).status, 200);
  }
});

Deno.test("property: no token yields a 5xx", async () => {
  await using service = new Service(vars);
  const text = fc.oneof(
    fc.constantFrom("ES256", "HS256", "RS256", "none", "east-key", "west-key", "deflate", "JWE"),
    fc.string(),
  );
  const header = fc.record({
    alg: fc.oneof(text, fc.jsonValue()),
    kid: fc.oneof(text, fc.jsonValue()),
    typ: fc.jsonValue(),
    crit: fc.oneof(fc.array(text), fc.jsonValue()),
    b64: fc.jsonValue(),
    zip: text,
    jwk: fc.constant(stranger.publicJwk),
    jku: fc.webUrl(),
  }, { requiredKeys: [] });
  const payload = fc.oneof(
    fc.record({ iss: fc.constant(issuer), exp: fc.jsonValue(), aud: fc.jsonValue() }),
    fc.jsonValue(),
  );
  const token = fc.tuple(header, payload, fc.base64String()).map(([header, payload, signature]) =>
    unsigned(header, payload) + signature.replace(/[+/=]/g, "")
  );
  await fc.assert(
    fc.asyncProperty(token, async (token) => {
      assertEquals((await callAs(service, { headers: bearer(token) })).status, 401);
    }),
    runs(300),
  );
});
