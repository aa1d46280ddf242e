/**
 * `deno task conform`: whether a policy of your own follows the contract.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { print } from "../cli/print.ts";
import { readSwitches } from "../cli/switches.ts";
import { type StageName, stageNames } from "../shared/core/attend/stage_health.ts";
import { whyOf } from "../shared/client/why_of.ts";
import { durationSeconds } from "../shared/kubernetes/declaring/duration.ts";
import { isServed, type Target } from "./conform/client.ts";
import { latencies, rules } from "./conform/rules.ts";

/** What was found of a stage. */
interface StageResult {
  readonly stage: StageName;
  readonly rules: { readonly name: string; readonly problem?: string }[];
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const usualLimit = "500ms";

async function main(): Promise<number> {
  const command = new Command("deno task conform")
    .description("Check by many calls whether the stages at a URL follow the contract")
    .argument("<url>", "of the policy, without /v1/<stage>")
    .addOption(
      new Option(
        "--stage <names>",
        "those to check, separated by commas; absent: all that something answers",
      )
        .env("MUSTER_CONFORM_STAGE").argParser(stagesOf),
    )
    .addOption(
      new Option("--token-file <file>", "bearer token").env("MUSTER_CONFORM_TOKEN_FILE"),
    )
    .addOption(
      new Option("--max-p99 <duration>", "longest time that 99 of 100 calls may take")
        .env("MUSTER_CONFORM_MAX_P99").default(durationMs(usualLimit), usualLimit)
        .argParser(durationMs),
    )
    .addOption(
      new Option("--calls <number>", "calls whose time is taken")
        .env("MUSTER_CONFORM_CALLS").default(200).argParser(callsOf),
    )
    .addOption(new Option("--json", "for programs").env("MUSTER_CONFORM_JSON"))
    .parse(Deno.args, { from: "user" });
  readSwitches(command);
  const { stage, tokenFile, maxP99, calls, json } = command.opts();
  const url = command.args[0]!.replace(/\/v1\/[a-z-]+\/?$/, "").replace(/\/$/, "");
  if (!URL.canParse(url)) command.error(`error: "${url}" is not a URL`);
  const token = tokenFile && (await Deno.readTextFile(tokenFile)).trim();
  const target: Target = { url, token };
  const stages: StageName[] = stage ?? await servedBy(target);
  if (stages.length === 0) throw new Error(`Nothing at ${url} answers a stage: give its base URL`);

  const results: StageResult[] = [];
  for (const stage of stages) {
    if (!json) print(`${stage} at ${url}`);
    results.push(await check(stage, { target, calls, tell: json ? undefined : print }));
  }
  const isGood = results.every((result) =>
    result.p99Ms <= maxP99 && result.rules.every(({ problem }) => problem === undefined)
  );
  if (json) print(JSON.stringify({ url, holds: isGood, maxP99Ms: maxP99, stages: results }));
  for (const { stage, p99Ms } of results) {
    if (p99Ms > maxP99 && !json) print(`${stage} takes longer than ${maxP99} ms`);
  }
  return isGood ? 0 : 1;
}

async function servedBy(target: Target): Promise<StageName[]> {
  try {
    const served: StageName[] = [];
    for (const stage of stageNames) if (await isServed(target, stage)) served.push(stage);
    return served;
  } catch (error) {
    const why = whyOf(error as Error);
    throw new Error(`Cannot reach the policy at "${target.url}": ${why}: is it running there?`);
  }
}

async function check(
  stage: StageName,
  { target, calls, tell }: {
    target: Target;
    calls: number;
    tell: ((line: string) => void) | undefined;
  },
): Promise<StageResult> {
  const found: StageResult["rules"] = [];
  for (const rule of rules) {
    if (rule.stages && !rule.stages.includes(stage)) continue;
    const problem = await rule.check(target, stage).catch((error) => error.message as string);
    found.push({ name: rule.name, ...(problem !== undefined && { problem }) });
    tell?.(problem === undefined ? `  holds  ${rule.name}` : `  FAILS  ${rule.name}: ${problem}`);
  }
  const took = await latencies(target, stage, calls);
  const [p50Ms, p99Ms] = [0.5, 0.99].map((part) => took[Math.floor((took.length - 1) * part)]!);
  tell?.(`  p50 ${p50Ms!.toFixed(1)} ms, p99 ${p99Ms!.toFixed(1)} ms of ${calls} calls`);
  return { stage, rules: found, p50Ms: p50Ms!, p99Ms: p99Ms! };
}

function stagesOf(text: string): StageName[] {
  return text.split(",").map((word) => {
    const stage = stageNames.find((name) => name === word);
    if (stage) return stage;
    throw new InvalidArgumentError(`"${word}" is none of ${stageNames.join(", ")}`);
  });
}

function durationMs(text: string): number {
  const seconds = durationSeconds(text);
  if (seconds !== undefined && seconds > 0) return seconds * 1000;
  throw new InvalidArgumentError(`"${text}" is not a duration, as "500ms"`);
}

function callsOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not a number of calls`);
}

try {
  Deno.exit(await main());
} catch (error) {
  // deno-lint-ignore no-console -- an error of this task
  console.error(`error: ${(error as Error).message}`);
  Deno.exit(1);
}
