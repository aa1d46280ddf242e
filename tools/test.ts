/**
 * `deno task test`: every test, the last line being `N passed, N failed, N skipped`.
 *
 * @module
 */
import { Command, Option } from "commander";
import { childDeno } from "./child_deno.ts";
import {
  findOrBuildBinaries,
  findOrBuildClient,
  ToolchainMissing,
} from "./control_plane/binaries.ts";
import { clients } from "./control_plane/programs.ts";
import { countTests, type Failure, failuresIn, sumOf, type TestCount } from "./junit.ts";
import { listFiles } from "./list_files.ts";
import { findOrBuildOperator } from "./operators/operator_source.ts";
import { operators } from "./operators/operators.ts";
import { print } from "../cli/print.ts";

interface Options {
  unit?: boolean;
  e2e?: boolean;
  again?: boolean;
  filter?: string;
}

/** What a run of `deno test` came to. */
interface TestRun {
  count: TestCount;
  failures: Failure[];
}

const E2E = "tests/e2e";
/** Those that compare how fast something is, or count all processes, have the machine for themselves. */
const ALONE = `${E2E}/alone`;
/** So many files of the others run at once, because they wait most of the time. */
const atOnce = 3;
/** The operator that they run. */
const operator = "training-operator";
/** More that wait in vain are no accident. */
const mostAgain = 3;
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
        "--again",
        `run e2e tests anew that waited in vain, where they are ${mostAgain} at most: others may use the machine; the end names them`,
      ).env("MUSTER_TEST_AGAIN"),
    )
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

/**
 * Runs `deno test`, whose output passes through. Without paths it runs what deno.json includes: all but the e2e part. Types are
 * `deno task check`'s: to look at them anew takes a minute.
 */
async function runTests(
  paths: string[],
  { filter, atOnce = 1 }: Pick<Options, "filter"> & { atOnce?: number },
): Promise<TestRun> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const args = ["test", "-A", "--no-check", `--junit-path=${report}`];
    if (filter !== undefined) args.push(`--filter=${filter}`);
    if (atOnce > 1) args.push("--parallel");
    const options = { cwd: root, env: { DENO_JOBS: String(atOnce) } };
    const { success } = await childDeno([...args, ...paths], options).spawn().status;
    const junit = await Deno.readTextFile(report);
    const run = { count: countTests(junit), failures: failuresIn(junit) };
    if (success || run.count.failed > 0) return run;
    // A module that throws and a runner that crashes are in no report, and a crash may leave half a line.
    print(`\n"deno test" failed outside of any test: it counts as one failed test`);
    return { ...run, count: { ...run.count, failed: 1 } };
  } finally {
    await Deno.remove(report);
  }
}

/** Builds what the e2e tests need while others leave a core idle; a build that fails does so again, and says why, where it is needed. */
async function buildAhead(): Promise<void> {
  const onProgress = () => {};
  await findOrBuildBinaries({ onProgress });
  for (const client of Object.keys(clients) as (keyof typeof clients)[]) {
    await findOrBuildClient(client, { onProgress });
  }
  await findOrBuildOperator(operator, { operator: operators[operator], onProgress });
}

async function runE2e(options: Options): Promise<TestRun> {
  try {
    await findOrBuildBinaries({ onProgress: (line) => print(`e2e: ${line}`) });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const files = (await listFiles(`${root}${E2E}`, "_test.ts")).length;
    const skip = error instanceof ToolchainMissing && Deno.env.get("CI") !== "true";
    print(`e2e: ${skip ? "skipped" : "failed"}: ${error.message}`);
    const count = { passed: 0, failed: skip ? 0 : files, skipped: skip ? files : 0 };
    return { count, failures: [] };
  }
  const runs = [
    await runTests([`--ignore=${ALONE}`, E2E], { ...options, atOnce }),
    await runTests([ALONE], options),
  ];
  const run = together(runs);
  return options.again ? await runAgain(run) : run;
}

function together(runs: readonly TestRun[]): TestRun {
  return {
    count: sumOf(runs.map(({ count }) => count)),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

/** A wait may end in vain because the machine was busy with something else; whatever else fails has failed. */
async function runAgain(first: TestRun): Promise<TestRun> {
  const { failures, count } = first;
  const tests = new Set(failures.map(({ test }) => test));
  const isWorthIt = tests.size > 0 && tests.size <= mostAgain && tests.size === count.failed &&
    failures.every(({ message }) => /Waited .*in vain|is not ready after/.test(message));
  if (!isWorthIt) return first;
  const filter = `/^(${[...tests].map((test) => RegExp.escape(test)).join("|")})$/`;
  // A report names the file that calls Deno.test(), which may be another one than the tests'.
  const second = await runTests([E2E], { filter });
  if (second.count.passed + second.count.failed !== tests.size) return first;
  const failed = new Set(second.failures.map(({ test }) => test));
  flaky.push(...failures.filter(({ test }) => !failed.has(test)));
  const { passed } = second.count;
  return {
    count: { ...count, passed: count.passed + passed, failed: count.failed - passed },
    failures: second.failures,
  };
}

function short(text: string, limit = 120): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** One line for each; `limit` is for what was thrown. */
function tell(what: string, failures: readonly Failure[], limit: number): void {
  for (const { name, message } of failures) {
    print(`${what}: ${short(name)}: ${short(message, limit)}`);
  }
}

const options = readOptions();
const flaky: Failure[] = [];
const runs: TestRun[] = [];
if (!options.unit && options.filter === undefined) buildAhead().catch(() => {});
if (!options.e2e) runs.push(await runTests([], options));
if (!options.unit) runs.push(await runE2e(options));
const { count: { passed, failed, skipped }, failures } = together(runs);
// The end of a log is what is looked at first, and at times all of it that is kept: few failures tell more.
const limit = Math.max(120, Math.floor(1200 / (failures.length + flaky.length)) - 120);
tell("flaky, passed when it was run again", flaky, limit);
tell("failed", failures, limit);
print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
Deno.exit(failed > 0 ? 1 : 0);
