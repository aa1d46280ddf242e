import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { KubeError } from "../../shared/client/kube_api.ts";
import { untilAnswered } from "../../shared/client/until_answered.ts";

/** As Deno has them. */
function failed(why: string): TypeError {
  return new TypeError("fetch failed", {
    cause: new Error(`error sending request for url: ${why}`),
  });
}

const passing: [what: string, error: Error][] = [
  ["nobody listens", failed("client error (Connect): tcp connect error: Connection refused")],
  ["no name", failed("client error (Connect): dns error: Name or service not known")],
  ["it breaks off", new TypeError("error reading a body from connection")],
  ["silence", new DOMException("Signal timed out.", "TimeoutError")],
  ["it starts", new KubeError(503, { message: "starting" })],
  ["it fails", new KubeError(500, { message: "etcd" })],
  ["too much to do", new KubeError(429, { message: "later" })],
];
const lasting: [what: string, error: Error][] = [
  ["credentials", new KubeError(401, { message: "Unauthorized" })],
  ["somebody else", new KubeError(404, { message: "no such page" })],
  ["a certificate", failed("client error (Connect): invalid peer certificate: UnknownIssuer")],
  ["no URL", new TypeError("Invalid URL: 'https://['")],
  ["a file", new Deno.errors.NotFound("token")],
  ["no JSON", new SyntaxError("Unexpected token")],
];

Deno.test("until answered: what may pass is waited for, longer and longer, and each time is told", async () => {
  using time = new FakeTime();
  const told: Error[] = [];
  const at: number[] = [];
  const startedAt = Date.now();
  const errors = passing.map(([, error]) => error);
  const asked = untilAnswered(async () => {
    at.push(Date.now() - startedAt);
    const error = errors[at.length - 1];
    if (error) throw error;
    return await Promise.resolve("there");
  }, (error) => void told.push(error));
  await time.tickAsync(60_000);
  assertEquals(await asked, "there");
  assertEquals(told, errors);
  assertEquals(at, [0, 250, 750, 1750, 3750, 7750, 12_750, 17_750]);
});

for (const [what, error] of lasting) {
  Deno.test(`until answered: ${what} is an error at once`, async () => {
    const ask = () => Promise.reject(error);
    const away = () => Promise.reject(new Error("it waits"));
    assertEquals(await assertRejects(() => untilAnswered(ask, away)), error);
  });
}

Deno.test("until answered: permissions that lack are an error soon, because the API server may just have come", async () => {
  using time = new FakeTime();
  const told: Error[] = [];
  const refused = new KubeError(403, { message: "forbidden" });
  const ask = () => Promise.reject(refused);
  const asked = assertRejects(() => untilAnswered(ask, (error) => void told.push(error)));
  await time.tickAsync(10_000);
  assertEquals([await asked, told], [refused, new Array(5).fill(refused)]);
});

for (const code of [401, 403]) {
  Deno.test(`until answered: an API server that has just come may refuse with ${code} at first, and not for long`, async () => {
    using time = new FakeTime();
    const startedAt = Date.now();
    const refusesUntil = (end: number) =>
      untilAnswered(async () => {
        const at = Date.now() - startedAt;
        if (at < 1000) throw failed("client error (Connect): Connection refused");
        if (at < end) throw new KubeError(code, { message: "refused" });
        return await Promise.resolve(at);
      }, () => {});
    const asked = [refusesUntil(5000), assertRejects(() => refusesUntil(Infinity), KubeError)];
    await time.tickAsync(60_000);
    assertEquals((await Promise.all(asked))[0], 7750);
  });
}

Deno.test("until answered: an API server that says when to come again is left alone until then", async () => {
  using time = new FakeTime();
  const headers = new Headers({ "retry-after": "2" });
  let asked = 0;
  const answer = untilAnswered(async () => {
    if (asked++ === 0) throw new KubeError(429, { message: "later", headers });
    return await Promise.resolve("there");
  }, () => {});
  await time.tickAsync(1900);
  assertEquals(asked, 1);
  await time.tickAsync(1000);
  assertEquals(await answer, "there");
});
