import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Issuers } from "../../shared/http/issuers.ts";
import { KeysUnavailable } from "../../shared/http/key_source.ts";
import { bearer, callAs } from "./caller.ts";
import { Service } from "./service.ts";
import { issuer, relaySubject, TokenMaker } from "./token_maker.ts";

const first = await TokenMaker.create("first");
const second = await TokenMaker.create("second");

/** A JWKS endpoint on loopback that ends with the test. */
class KeyServer implements AsyncDisposable {
  fetches = 0;
  answer: () => Response | Promise<Response> = () =>
    Response.json({ keys: this.keys.map(({ publicJwk }) => publicJwk) });
  keys = [first];
  readonly #abort = new AbortController();
  readonly #server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: this.#abort.signal,
    onListen: () => {},
  }, () => {
    this.fetches++;
    return this.answer();
  });

  get jwksUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/openid/v1/jwks`;
  }

  issuers(): Issuers {
    const subjects = [relaySubject];
    const { jwksUrl } = this;
    return new Issuers([{
      issuer,
      audience: "muster",
      cluster: "east",
      subjects,
      readSubjects: [],
      jwksUrl,
    }]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#server.finished;
  }
}

const accepted = { cluster: "east", scope: "full" } as const;
const minutes = (count: number) => count * 60_000;

Deno.test("keys: they are fetched once, and again when they are old", async () => {
  await using server = new KeyServer();
  using time = new FakeTime();
  const issuers = server.issuers();
  const verify = async () => await issuers.verify(await first.token());
  assertEquals(await Promise.all([verify(), verify(), verify()]), Array(3).fill(accepted));
  assertEquals(await verify(), accepted);
  assertEquals(server.fetches, 1);
  time.now += minutes(11);
  assertEquals(await verify(), accepted);
  assertEquals(server.fetches, 2);
});

Deno.test("keys: a new key is found when it is first seen, and unknown ones do not make the endpoint busy", async () => {
  await using server = new KeyServer();
  using time = new FakeTime();
  const issuers = server.issuers();
  await issuers.verify(await first.token());
  server.keys = [first, second];
  time.now += minutes(1);
  assertEquals(await issuers.verify(await second.token()), accepted);
  assertEquals(server.fetches, 2);
  for (const kid of ["a", "b", "c"]) {
    const verdict = await issuers.verify(await first.token({}, { headers: { kid } }));
    assertEquals("refused" in verdict && verdict.refused, "invalid");
  }
  assertEquals(server.fetches, 2);
});

Deno.test("keys: a key that was taken away is refused once the keys are old", async () => {
  await using server = new KeyServer();
  using time = new FakeTime();
  const issuers = server.issuers();
  await issuers.verify(await first.token());
  server.keys = [second];
  time.now += minutes(11);
  assertEquals("refused" in await issuers.verify(await first.token()), true);
});

Deno.test("keys: while the endpoint is down the last ones hold for an hour, and what they do not know is a KeysUnavailable", async () => {
  await using server = new KeyServer();
  using time = new FakeTime();
  const issuers = server.issuers();
  await issuers.verify(await first.token());
  server.answer = () => new Response("down", { status: 500 });
  time.now += minutes(30);
  assertEquals(await issuers.verify(await first.token()), accepted);
  await assertRejects(async () => await issuers.verify(await second.token()), KeysUnavailable);
  time.now += minutes(31);
  await assertRejects(async () => await issuers.verify(await first.token()), KeysUnavailable);
});

Deno.test("keys: after a failure nothing is fetched for a moment, and then they are there", async () => {
  await using server = new KeyServer();
  using time = new FakeTime();
  const issuers = server.issuers();
  const healthy = server.answer;
  server.answer = () => new Response("down", { status: 500 });
  for (let call = 0; call < 5; call++) {
    await assertRejects(async () => await issuers.verify(await first.token()), KeysUnavailable);
  }
  assertEquals(server.fetches, 1);
  server.answer = healthy;
  time.now += 5001;
  assertEquals(await issuers.verify(await first.token()), accepted);
});

Deno.test("keys: an endpoint that fails in whatever way is a 503 that may be tried again", async (t) => {
  const endless = () =>
    new Response(
      new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(64 * 1024)) }),
    );
  const never = new Promise<Response>(() => {});
  const answers: [name: string, answer: () => Response | Promise<Response>, logged: string][] = [
    ["an error", () => new Response("no", { status: 500 }), "has status 500"],
    ["no JSON", () => new Response("<html>"), "as JSON"],
    ["no key set", () => Response.json({ keys: "none" }), "JSON Web Key Set malformed"],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/elsewhere"), "has status 302"],
    ["an answer without end", endless, "larger than 262144 bytes"],
    ["no answer", () => never, "timed out"],
  ];
  for (const [name, answer, logged] of answers) {
    await t.step(name, async () => {
      await using server = new KeyServer();
      const { jwksUrl } = server;
      server.answer = answer;
      await using service = new Service({
        MUSTER_ISSUERS: JSON.stringify([{ issuer, audience: "muster", cluster: "east", jwksUrl }]),
      });
      const headers = bearer(await first.token());
      const { status, body, retryAfter } = await callAs(service, { headers });
      assertEquals([status, body.title, retryAfter], [503, "Keys not available", "5"]);
      assertStringIncludes(JSON.parse(service.log[0]!).error, logged);
      // A token of nobody is no reason to ask anybody.
      const nobody = bearer(await first.token({ iss: "https://evil.example" }));
      assertEquals((await callAs(service, { headers: nobody })).status, 401);
      // Once by each of the two hosts that a service asks.
      assertEquals(server.fetches, 2);
    });
  }
  await t.step("nobody there", async () => {
    const jwksUrl = "http://127.0.0.1:1/jwks";
    await using service = new Service({
      MUSTER_ISSUERS: JSON.stringify([{ issuer, audience: "muster", cluster: "east", jwksUrl }]),
    });
    const { status } = await callAs(service, { headers: bearer(await first.token()) });
    assertEquals(status, 503);
    assertStringIncludes(JSON.parse(service.log[0]!).error, "Cannot fetch the keys at");
  });
});
