import { assert, assertEquals, assertGreater } from "@std/assert";
import { describeFaults } from "../../../tools/chaos/report.ts";
import { crashesOf, runChaos } from "../../../tools/chaos/run_chaos.ts";
import { chaosSvg } from "../../../tools/chaos/timeline_svg.ts";
import { progress } from "../support/on_cluster.ts";
import { withoutHostnames } from "../support/without_hostnames.ts";

/** Half a minute of faults; `deno task chaos` is for longer ones. */
const drawn = { seed: 18, minutes: 0.5, kills: 12 };

Deno.test({
  name:
    "after half a minute of faults every gang becomes whole, runs and goes, and nothing is left over",
  ignore: await withoutHostnames(),
  // The cluster's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: testChaos,
});

async function testChaos(): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "muster-chaos-" });
  const report = await runChaos({ ...drawn, dir, onProgress: progress });
  const told = describeFaults(report.faults).join("\n");
  assertEquals(
    [...report.wrong, ...crashesOf(report)],
    [],
    `logs are in "${dir}"; faults:\n${told}`,
  );
  assertEquals(report.faults.filter(({ deed }) => deed.do === "kill").length, drawn.kills);
  assertGreater(report.tenancies.length, 10);
  assert(chaosSvg(report).endsWith("</svg>\n"));
  await Deno.remove(dir, { recursive: true });
}
