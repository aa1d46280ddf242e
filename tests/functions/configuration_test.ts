import { assertEquals, assertThrows } from "@std/assert";
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

Deno.test("configuration: what is wrong with tokens is said without them", async (t) => {
  const start = "Cannot use these credentials: MUSTER_TOKENS";
  const cases: [value: unknown, says: string][] = [
    [`hunter2`, ' is not JSON: write {"<cluster>": ["<token>"]}'],
    [`{"east": ["${secret}"`, ' is not JSON: write {"<cluster>": ["<token>"]}'],
    [[good], ": must be an object"],
    [good, ": must be an object"],
    [{ east: good }, ' at "east": must be a list of tokens'],
    [{ east: [] }, ' at "east": must name a token'],
    [{ east: [7] }, ' at "east" at 0: must be a text'],
    [{ east: ["hunter2"] }, ' at "east" at 0: must have at least 32 characters'],
    [
      { east: [good, secret] },
      ' at "east" at 1: must consist of letters, digits and -._~+/, with = at its end only',
    ],
    [
      { "a|b": [good] },
      ` at "a|b": a cluster's name must be 1 to 63 letters, digits, dots, dashes or underscores`,
    ],
    [
      { east: [good], west: [good] },
      " has a token twice: give every cluster tokens of its own",
    ],
  ];
  for (const [value, says] of cases) {
    await t.step(says, () => {
      const text = typeof value === "string" && value !== good ? value : JSON.stringify(value);
      assertEquals(wrongWith({ MUSTER_TOKENS: text }), start + says);
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
