/**
 * `deno task test`: every test, the last line being `N passed, N failed, N skipped`.
 *
 * @module
 */
import { Command, Option } from "commander";
import { childDeno } from "./child_deno.ts";
import { findOrBuildBinaries, ToolchainMissing } from "./control_plane/binaries.ts";
import { countTests, type Failure, failuresIn, sumOf, type TestCount } from "./junit.ts";
import { listFiles } from "./list_files.ts";
import { print } from "./print.ts";

interface Options {
  unit?: boolean;
  e2e?: boolean;
  filter?: string;
}

const E2E = "tests/e2e";
const root = new URL("..", import.meta.url).pathname;

function readOptions(): Options {
  return new Command("deno task test")
    .description(
      "Runs every test: first those that need no cluster, then those on a real control plane, which is built with Go once " +
        "(about four minutes) or taken from KUBEBUILDER_ASSETS. Without either, the second part is skipped, or fails if CI=true.",
    )
    .addOption(
      new Option("--unit", "run only what needs no cluster").env("MUSTER_TEST_UNIT").conflicts(
        "e2e",
      ),
    )
    .addOption(new Option("--e2e", "run only what needs a control plane").env("MUSTER_TEST_E2E"))
    .addOption(
      new Option(
        "--filter <text>",
        "run only tests whose name contains the text or matches /regexp/",
      )
        .env("MUSTER_TEST_FILTER"),
    )
    .parse(Deno.args, { from: "user" })
    .opts<Options>();
}

/** Runs `deno test`, whose output passes through. Without paths it runs what deno.json includes: all but the e2e part. */
async function runTests(paths: string[], { filter }: Options): Promise<TestCount> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const args = ["test", "-A", `--junit-path=${report}`];
    if (filter !== undefined) args.push(`--filter=${filter}`);
    const { success } = await childDeno([...args, ...paths], { cwd: root }).spawn().status;
    const junit = await Deno.readTextFile(report);
    failures.push(...failuresIn(junit));
    const count = countTests(junit);
    if (success || count.failed > 0) return count;
    // A module that throws and a runner that crashes are in no report, and a crash may leave half a line.
    print(`\n"deno test" failed outside of any test: it counts as one failed test`);
    return { ...count, failed: 1 };
  } finally {
    await Deno.remove(report);
  }
}

async function runE2e(options: Options): Promise<TestCount> {
  try {
    await findOrBuildBinaries({ onProgress: (line) => print(`e2e: ${line}`) });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const files = (await listFiles(`${root}${E2E}`, "_test.ts")).length;
    const skip = error instanceof ToolchainMissing && Deno.env.get("CI") !== "true";
    print(`e2e: ${skip ? "skipped" : "failed"}: ${error.message}`);
    return { passed: 0, failed: skip ? 0 : files, skipped: skip ? files : 0 };
  }
  return await runTests([E2E], options);
}

function short(text: string, limit = 120): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

const options = readOptions();
const failures: Failure[] = [];
const counts: TestCount[] = [];
if (!options.e2e) counts.push(await runTests([], options));
if (!options.unit) counts.push(await runE2e(options));
// The end of a log is what is looked at first, and at times all of it that is kept: few failures tell more.
const limit = Math.max(120, Math.floor(1200 / failures.length) - 120);
for (const { name, message } of failures) print(`failed: ${short(name)}: ${short(message, limit)}`);
const { passed, failed, skipped } = sumOf(counts);
print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
Deno.exit(failed > 0 ? 1 : 0);
