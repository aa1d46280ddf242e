import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AbortError } from "p-retry";
import { askStage, CallFailed } from "../../shared/client/stage_call.ts";
import { CallRefused } from "../../shared/contract/call_refused.ts";

/** A call whose first attempts fail so. */
function failing(...errors: Error[]) {
  const ids: string[] = [];
  const attempt = (id: string) => {
    ids.push(id);
    const error = errors.shift();
    return error ? Promise.reject(error) : Promise.resolve({ verdict: "allow" });
  };
  return { ids, attempt };
}

Deno.test("askStage() repeats a call under the request id that its answer has", async () => {
  using time = new FakeTime();
  const { ids, attempt } = failing(new TypeError("connection reset"), new Error("HTTP 500"));
  const answered = askStage("permit", attempt);
  await time.tickAsync(5000);
  const { verdict, requestId } = await answered;
  assertEquals([verdict, ids], ["allow", [requestId, requestId, requestId]]);
  const next = await askStage("permit", failing().attempt);
  assertNotEquals(next.requestId, requestId);
});

for (
  const [error, isRefusal] of [[new Error("down"), false], [new CallRefused("no"), true]] as const
) {
  Deno.test(`askStage() tells that ${isRefusal ? "the call was not taken" : "nobody answers"}`, async () => {
    const { ids, attempt } = failing(new AbortError(error));
    const failed = await assertRejects(() => askStage("permit", attempt), CallFailed);
    assertEquals([failed.isRefusal, failed.requestId], [isRefusal, ids[0]]);
    assertEquals(ids.length, 1);
  });
}

Deno.test("askStage() says why nobody could be reached, as far as that is known", async () => {
  using time = new FakeTime();
  const error = new TypeError("fetch failed", { cause: new Error("connection refused") });
  const { attempt } = failing(error, error, error);
  const failed = assertRejects(() => askStage("permit", attempt), CallFailed);
  await time.tickAsync(5000);
  assertEquals((await failed).message, "fetch failed: connection refused");
});
