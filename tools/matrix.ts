/**
 * `deno task matrix`: the stories of an installation on each version of Kubernetes that Muster claims to run on.
 *
 * @module
 */
import { Argument, Command } from "commander";
import { childDeno } from "./child_deno.ts";
import { kubernetesVersions } from "./control_plane/programs.ts";
import { countTests } from "./junit.ts";
import { print } from "../cli/print.ts";

const root = new URL("..", import.meta.url).pathname;

const stories = [
  "tests/e2e/install/install_test.ts",
  "tests/e2e/muster/story_test.ts",
  "tests/e2e/preemption",
];

const command = new Command("deno task matrix")
  .description(
    "Runs the e2e tests of an installation, of a training job, and of preemption, for which much hangs on the scheduler's " +
      "own code, on a real control plane of each version of Kubernetes: " +
      `${kubernetesVersions.join(", ")}. Each is built with Go once, which takes minutes.`,
  )
  .addArgument(
    new Argument("[versions...]", "only these").choices(kubernetesVersions)
      .default(kubernetesVersions, "all"),
  )
  .parse(Deno.args, { from: "user" });

const lines: string[] = [];
let failed = 0;
for (const version of command.processedArgs[0] as string[]) {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const { success } = await childDeno(["test", "-A", `--junit-path=${report}`, ...stories], {
    cwd: root,
    env: { MUSTER_KUBERNETES: version },
  }).spawn().status;
  const count = countTests(await Deno.readTextFile(report));
  await Deno.remove(report);
  if (!success) failed++;
  lines.push(
    `${version}: ${count.passed} passed, ${count.failed} failed${success ? "" : ": FAILED"}`,
  );
}
for (const line of lines) print(line);
Deno.exit(failed > 0 ? 1 : 0);
