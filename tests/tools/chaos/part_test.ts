import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { startProcess } from "../../../cli/process.ts";
import { Part } from "../../../tools/chaos/part.ts";
import { until } from "../../e2e/support/until.ts";

/** Runs a test with a part that runs a shell script, which is started again at once. */
async function supervised(script: string, test: (part: Part) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  const logFile = join(dir, "log");
  const launch = () => startProcess({ name: "part", command: "sh", args: ["-c", script], logFile });
  {
    await using part = new Part("part", { launch, restartMs: () => 0 });
    await test(part);
  }
  await Deno.remove(dir, { recursive: true });
}

Deno.test("Part starts again what was killed, and takes it for no end of its own", () =>
  supervised("sleep 60", async (part) => {
    const pids = new Set<number>();
    for (let kill = 0; kill < 3; kill++) {
      await until("a process", () => Promise.resolve(part.process !== undefined));
      pids.add(part.process!.pid);
      await part.end("SIGKILL");
    }
    assertEquals(pids.size, 3);
    assertEquals(part.ownEnds, []);
  }));

Deno.test("Part counts ends of its own with their last words", () =>
  supervised("echo why; exit 3", async (part) => {
    await until("ends", () => Promise.resolve(part.ownEnds.length > 1));
    assertEquals([part.ownEnds[0]?.code, part.ownEnds[0]?.said.slice(0, 3)], [3, "why"]);
  }));

Deno.test("Part.stop() stops a process for a time, and lets it go on", () =>
  supervised("sleep 60", async (part) => {
    await until("a process", () => Promise.resolve(part.process !== undefined));
    const { pid } = part.process!;
    const state = () => /^State:\s+(\w)/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
    const stopped = part.stop(200);
    await until("it stands still", () => Promise.resolve(state() === "T"));
    await stopped;
    await until("it goes on", () => Promise.resolve(state() !== "T"));
    assertEquals(part.process?.pid, pid);
  }));
