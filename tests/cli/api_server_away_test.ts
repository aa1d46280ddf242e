import { assertEquals } from "@std/assert";
import { ApiServerAway } from "../../cli/api_server_away.ts";
import { FakeTime } from "@std/testing/time";

Deno.test("API server away: it is said at once, and then more and more seldom", async () => {
  using time = new FakeTime();
  const said: [seconds: number, level: string, message: string][] = [];
  const startedAt = Date.now();
  let begun = 0;
  const away = new ApiServerAway("https://api", {
    log: (level, message) => said.push([(Date.now() - startedAt) / 1000, level, message]),
    began: () => Promise.resolve(void begun++),
  });
  for (let second = 0; second < 100; second += 5) {
    await away.noted(new TypeError("fetch failed", { cause: new Error("connection refused") }));
    time.tick(5000);
  }
  const why = 'the API server at "https://api" does not answer: fetch failed: connection refused';
  assertEquals(said, [0, 10, 30, 70].map((second) => [second, "warn", `Waiting: ${why}`]));
  assertEquals(begun, 1);
  assertEquals(away.answer("/healthz").status, 200);
  for (const path of ["/readyz", "/metrics"]) {
    const answer = away.answer(path);
    assertEquals([answer.status, await answer.text()], [503, why]);
  }
  away.over();
  assertEquals(said.at(-1), [100, "info", "The API server answers, after 100 s"]);
});

Deno.test("API server away: one that answers at once is not mentioned", () => {
  const away = new ApiServerAway("https://api", {
    log: (_, message) => {
      throw new Error(message);
    },
    began: () => Promise.reject(new Error("it began")),
  });
  away.over();
  assertEquals(away.isOver, true);
});
