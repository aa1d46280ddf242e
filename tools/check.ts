/**
 * `deno task check`: everything that must hold before a commit, except the tests.
 *
 * @module
 */
import { Command } from "commander";
import { lineCount, RARELY_OVER_LINES } from "./architecture/rules.ts";
import { childDeno } from "./child_deno.ts";
import { isDeclaration, undocumentedExports } from "./docstrings.ts";
import { listFiles } from "./list_files.ts";
import { markdownProblems } from "./markdown.ts";
import { print } from "../cli/print.ts";

/** What a step found; the output counts only when it failed. */
interface StepResult {
  ok: boolean;
  output: string;
}

interface Step {
  name: string;
  run(): Promise<StepResult>;
}

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

const steps: Step[] = [
  { name: "format", run: () => deno(["fmt", "--check"]) },
  { name: "lint", run: () => deno(["lint", "--quiet"]) },
  { name: "types", run: () => deno(["check", "--quiet"]) },
  {
    name: "architecture",
    run: () => deno(["test", "-A", "--quiet", "tests/architecture_test.ts"]),
  },
  { name: "docstrings", run: checkDocstrings },
  { name: "markdown", run: checkMarkdown },
];

async function deno(args: string[]): Promise<StepResult & { stdout: string }> {
  const { success, stdout, stderr } = await childDeno(args, { cwd: root, stdin: "null" }).output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  return { ok: success, stdout: text, output: text + decoder.decode(stderr) };
}

/** Every exported symbol is documented, except in tests. */
async function checkDocstrings(): Promise<StepResult> {
  const files = (await listFiles(root, ".ts")).filter((path) => !path.startsWith("tests/"));
  const result = await deno(["doc", "--json", ...files]);
  if (!result.ok) return result;
  const problems: string[] = [];
  for (const { path, line, name } of undocumentedExports(JSON.parse(result.stdout))) {
    const text = (await Deno.readTextFile(path)).split("\n")[line - 1] ?? "";
    if (isDeclaration(text)) {
      problems.push(`"${path}:${line}" exports "${name}" without a docstring`);
    }
  }
  return { ok: problems.length === 0, output: problems.join("\n") };
}

async function checkMarkdown(): Promise<StepResult> {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const project = { tasks: Object.keys(tasks), exists: existsInProject };
  const problems: string[] = [];
  for (const path of await listFiles(root, ".md")) {
    const text = await Deno.readTextFile(`${root}/${path}`);
    problems.push(...markdownProblems({ path, text }, project));
  }
  return { ok: problems.length === 0, output: problems.join("\n") };
}

function existsInProject(path: string): boolean {
  try {
    Deno.statSync(`${root}/${path}`);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function printLongFiles(): Promise<void> {
  for (const path of await listFiles(root, ".ts")) {
    const lines = lineCount(await Deno.readTextFile(`${root}/${path}`));
    if (lines > RARELY_OVER_LINES) print(`note: "${path}" has ${lines} lines`);
  }
}

new Command("deno task check")
  .description(`Runs, one after the other: ${steps.map(({ name }) => name).join(", ")}.`)
  .parse(Deno.args, { from: "user" });

const failed: string[] = [];
for (const { name, run } of steps) {
  const start = performance.now();
  const { ok, output } = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  print(`${ok ? "ok    " : "FAILED"}  ${name.padEnd(14)}${seconds.padStart(5)} s`);
  if (!ok) {
    failed.push(name);
    print(output.trimEnd());
  }
}
await printLongFiles();
print(failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`);
Deno.exit(failed.length === 0 ? 0 : 1);
