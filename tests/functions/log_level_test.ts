import { assertEquals } from "@std/assert";
import { log } from "../../shared/http/log.ts";
import { Service } from "./service.ts";

const cases: [level: string | undefined, lines: string[]][] = [
  [undefined, ["warn"]],
  ["warn", ["warn"]],
  ["error", []],
  ["debug", ["warn"]],
];

for (const [level, lines] of cases) {
  Deno.test(`log level ${level ?? "by default"}: a refused request is ${lines.length} lines`, async () => {
    await using service = new Service(level === undefined ? {} : { MUSTER_LOG_LEVEL: level });
    const { status } = await service.post("/v1/permit", {});
    assertEquals(status, 400);
    assertEquals(service.log.map((line) => JSON.parse(line).level), lines);
  });
}

Deno.test("log: a line that standard error does not take, as on a disk that is full, is lost, and nothing else", () => {
  const { console } = globalThis;
  const full = () => {
    throw new Error("No space left on device");
  };
  globalThis.console = { ...console, error: full };
  try {
    log("error", "lost");
  } finally {
    globalThis.console = console;
  }
});
