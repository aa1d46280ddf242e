import { assertEquals } from "@std/assert";
import { startProcess } from "../../cli/process.ts";

Deno.test("startProcess() passes on each line although the disk of the log is full", async () => {
  const lines: string[] = [];
  const child = startProcess({
    name: "speaker",
    command: "sh",
    args: ["-c", "echo one; sleep 0.1; echo two"],
    logFile: "/dev/full",
    onLine: (line) => lines.push(line),
  });
  assertEquals((await child.exited).code, 0);
  assertEquals(lines, ["one", "two"]);
});
