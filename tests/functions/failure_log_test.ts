import { assertEquals } from "@std/assert";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { failureLog } from "../../shared/http/failure_log.ts";
import { onError } from "../../shared/http/problem.ts";
import type { StageEnv } from "../../shared/http/stage_env.ts";

const cases: [what: string, error: Error, status: number, level: string, isTraced: boolean][] = [
  ["a bad call", new HTTPException(400, { message: "no" }), 400, "warn", false],
  ["a call too many", new HTTPException(503, { message: "later" }), 503, "warn", false],
  ["a store that fails", new Error("it fails"), 503, "error", true],
];
for (const [what, error, status, level, isTraced] of cases) {
  Deno.test(`failure log: ${what} is logged as ${level}, with ${isTraced ? "the" : "no"} stack`, async () => {
    const lines: string[] = [];
    const { error: genuine } = console;
    // deno-lint-ignore no-console -- where the functions log
    console.error = (line: string) => lines.push(line);
    try {
      const app = new Hono<StageEnv>().onError(onError).use(failureLog).get("/", () => {
        throw error;
      });
      assertEquals((await app.request("/")).status, status);
    } finally {
      // deno-lint-ignore no-console -- as above
      console.error = genuine;
    }
    const [line, ...others] = lines.map((line) => JSON.parse(line));
    assertEquals(others, []);
    assertEquals([line.status, line.level, "stack" in line, "error" in line], [
      status,
      level,
      isTraced,
      isTraced,
    ]);
  });
}
