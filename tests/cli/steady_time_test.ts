import { join } from "node:path";
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { steadyTime } from "../../cli/steady_time.ts";
import { ServingChild } from "../functions/child.ts";
import { gang, group } from "../support/facts.ts";
import { settableClock } from "../../tools/chaos/settable_clock.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";

const start = Date.UTC(2026);

/** Ms that pass, and by how much the clock is set then, one after another; and what is told after each, in ms since the start. */
const rows: [id: string, steps: [passMs: number, setMs: number][], told: number[]][] = [
  ["the clock goes on", [[1000, 0], [250, 0]], [1000, 1250]],
  ["it is set forward", [[1000, 60_000], [1000, 0]], [61_000, 62_000]],
  [
    "it is set back, and catches up",
    [[1000, -500], [1000, 0], [3000, 0], [2000, 0], [1000, 0]],
    [900, 1800, 4500, 6500, 7500],
  ],
  ["it is set back by an hour", [[0, -3_600_000], [10_000, 0]], [0, 9000]],
  ["it is set back and forward again", [[1000, -60_000], [1000, 60_000]], [900, 2000]],
];

for (const [id, steps, told] of rows) {
  Deno.test(`steadyTime(): ${id}`, () => {
    let [passed, set] = [0, 0];
    const now = steadyTime({
      wall: () => start + Math.floor(passed) + set,
      // Since the program started, say.
      monotonic: () => 77.5 + passed,
    });
    const seen = steps.map(([passMs, setMs]) => {
      passed += passMs;
      set += setMs;
      return now() - start;
    });
    assertEquals(seen, told);
  });
}

/** Sets the clock of a program back that serves the policy endpoints. */
async function testProgram(args: string[]): Promise<void> {
  await using child = new ServingChild();
  const clock = join(child.dir, "clock");
  const { denoArgs, env } = await settableClock(clock);
  await child.start(["run", "-A", "--no-check", ...denoArgs, ...args, "--port=0"], env);
  const tellsAt = async (held: number) => {
    await child.ask("/v1/permit", group(gang({ minMember: 3, held, pending: 3 - held })));
    const { updatedAt } = await child.ask("/v1/gangs/default/a");
    return Date.parse(updatedAt);
  };
  const first = await tellsAt(1);
  await Deno.writeTextFile(clock, "-3600000");
  while (!(await child.output()).includes("the clock is -3600000 ms")) await tellsAt(1);
  assertGreaterOrEqual(await tellsAt(2), first);
}

Deno.test("functions whose clock is set back go on from where they were", () =>
  testProgram(["cli/functions.ts"]));

Deno.test("a relay whose clock is set back goes on from where it was", async () => {
  const sandbox = await startSandbox();
  try {
    await testProgram(["cli/start.ts", `--kubeconfig=${sandbox.kubeconfigPath}`]);
  } finally {
    await sandbox.stop();
  }
});
