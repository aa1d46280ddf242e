import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ConfigurationError, configurationFrom } from "../../shared/http/configuration.ts";

const good = "good-0123456789abcdef0123456789abcdef";
const secret = "sésame-0123456789abcdef0123456789abcdef";

function wrongWith(vars: Record<string, string>): string {
  const { message } = assertThrows(() => configurationFrom(vars), ConfigurationError);
  for (const word of [good, secret, "hunter2"]) {
    assertEquals(message.includes(word), false, message);
  }
  return message;
}

Deno.test("configuration: without variables only loopback is served", () => {
  assertEquals(configurationFrom({}).access.isLoopbackOnly, true);
  assertEquals(configurationFrom({ MUSTER_TOKENS: "" }).access.isLoopbackOnly, true);
});

Deno.test("configuration: no tokens at all are still a configuration, which nobody passes", () => {
  assertEquals(configurationFrom({ MUSTER_TOKENS: "{}" }).access.isLoopbackOnly, false);
});

Deno.test("configuration: the log level is one of four, and info where nothing is said", () => {
  assertEquals(configurationFrom({}).logLevel, "info");
  assertEquals(configurationFrom({ MUSTER_LOG_LEVEL: "" }).logLevel, "info");
  assertEquals(configurationFrom({ MUSTER_LOG_LEVEL: "warn" }).logLevel, "warn");
  assertEquals(
    wrongWith({ MUSTER_LOG_LEVEL: "loud" }),
    'Cannot read MUSTER_LOG_LEVEL: it must be one of debug, info, warn, error: current value is "loud"',
  );
});

Deno.test("configuration: what is wrong with tokens is said without them", async (t) => {
  const start = "Cannot use these credentials: MUSTER_TOKENS";
  const objectRule = ' at "east" at 0: must be {"token": "<token>", "scope": "read"}, or a text';
  const cases: [value: unknown, says: string][] = [
    [`hunter2`, ' is not JSON: write {"<cluster>": ["<token>"]}'],
    [`{"east": ["${secret}"`, ' is not JSON: write {"<cluster>": ["<token>"]}'],
    [[good], ": must be an object"],
    [good, ": must be an object"],
    [{ east: good }, ' at "east": must be a list of tokens'],
    [{ east: [] }, ' at "east": must name a token'],
    [{ east: [7] }, ' at "east" at 0: must be a text'],
    [{ east: [{ token: "hunter2", scope: "read" }] }, ' at "east" at 0 at "token": must have at'],
    [{ east: [{ token: good, scope: "write" }] }, objectRule],
    [{ east: [{ token: good }] }, objectRule],
    [{ east: [{ token: good, scope: "read", note: "hunter2" }] }, objectRule],
    [{ east: [good, { token: good, scope: "read" }] }, " has a token twice: give every cluster"],
    [{ east: ["hunter2"] }, ' at "east" at 0: must have at least 32 characters'],
    [
      { east: [good, secret] },
      ' at "east" at 1: must consist of letters, digits and -._~+/, with = at its end only',
    ],
    [
      { "a|b": [good] },
      ` at "a|b": A cluster's name must be 1 to 63 letters, digits, dots, dashes or underscores`,
    ],
    [
      { east: [good], west: [good] },
      " has a token twice: give every cluster tokens of its own",
    ],
  ];
  for (const [value, says] of cases) {
    await t.step(says, () => {
      const text = typeof value === "string" && value !== good ? value : JSON.stringify(value);
      assertStringIncludes(wrongWith({ MUSTER_TOKENS: text }), start + says);
    });
  }
});

Deno.test("configuration: what is wrong with issuers is said", async (t) => {
  const jwk = { kty: "EC", crv: "P-256", x: "x", y: "y" };
  const fine = {
    issuer: "https://a.example",
    audience: "muster",
    cluster: "east",
    jwks: { keys: [jwk] },
  };
  const { jwks: _jwks, ...bare } = fine;
  configurationFrom({ MUSTER_ISSUERS: JSON.stringify([fine]) });
  for (const jwksUrl of ["https://a.example/jwks", "http://127.0.0.1:6443/openid/v1/jwks"]) {
    configurationFrom({ MUSTER_ISSUERS: JSON.stringify([{ ...bare, jwksUrl }]) });
  }
  const cases: [value: unknown, says: string][] = [
    [{}, ": must be a list"],
    [[], ": must name an issuer"],
    [["x"], " at 0: must be an object"],
    [[{ ...fine, issuer: "" }], ' at 0 at "issuer": must not be empty'],
    [[{ ...fine, audience: undefined }], ' at 0 at "audience": is missing'],
    [[{ ...fine, cluster: "a b" }], ' at 0 at "cluster": must be 1 to 63'],
    [[{ ...fine, subjects: [] }], ' at 0 at "subjects": must name a subject'],
    [[{ ...fine, subjects: "x" }], ' at 0 at "subjects": must be a list of texts'],
    [[{ ...fine, readSubjects: [7] }], ' at 0 at "readSubjects" at 0: must be a text'],
    [[{ ...fine, jwksURL: "x" }], ' at 0 at "jwksURL": is no field of an issuer'],
    [[bare], " at 0: must have either jwksUrl or jwks"],
    [
      [{ ...fine, jwksUrl: "https://a.example/jwks" }],
      " at 0: must have either jwksUrl or jwks",
    ],
    [[{ ...bare, jwksUrl: "http://a.example/jwks" }], ' at 0 at "jwksUrl": must be an https URL'],
    [[{ ...bare, jwksUrl: "file:///keys" }], ' at 0 at "jwksUrl": must be an https URL'],
    [[{ ...bare, jwksUrl: `https://u:${good}@a.example` }], ' at 0 at "jwksUrl": must be an https'],
    [[{ ...bare, jwks: { keys: "x" } }], ' at 0 at "jwks": must be a set of public keys'],
    [
      [{ ...bare, jwks: { keys: [{ ...jwk, d: good }] } }],
      ' at 0 at "jwks": must be a set of public keys',
    ],
    [
      [{ ...bare, jwks: { keys: [{ kty: "oct", k: good }] } }],
      ' at 0 at "jwks": must be a set of public keys',
    ],
    [[fine, { ...fine, cluster: "west" }], " has an issuer with the same audience and keys twice"],
  ];
  for (const [value, says] of cases) {
    await t.step(says, () => {
      const message = wrongWith({ MUSTER_ISSUERS: JSON.stringify(value) });
      const start = `Cannot use these credentials: MUSTER_ISSUERS${says}`;
      assertEquals(message.slice(0, start.length), start);
    });
  }
});

Deno.test("configuration: everything wrong is said at once", () => {
  const message = wrongWith({
    MUSTER_PROFILE: "fast",
    MUSTER_WAIT_SECONDS: "-1",
    MUSTER_TOKENS: JSON.stringify({ east: ["hunter2"], west: ["hunter2"] }),
  });
  const [settings, credentials] = message.split("\n");
  assertEquals(settings!.match(/MUSTER_\w+/g), ["MUSTER_PROFILE", "MUSTER_WAIT_SECONDS"]);
  assertEquals(credentials!.match(/MUSTER_TOKENS/g)?.length, 2);
});
