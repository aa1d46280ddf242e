/**
 * `deno task replay-trace`: months of jobs through the same core, for each rule of backfill.
 *
 * @module
 */
import { basename, join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { backfillOf, backfillRules } from "../shared/core/gang/backfill.ts";
import { type ProfileName, profiles } from "../shared/core/gang/settings.ts";
import { exitWith } from "./exit_with.ts";
import { exitCodes, Failure } from "./muster/failure.ts";
import { printable } from "./muster/table.ts";
import { decided, stagesOf } from "./policy/deciding.ts";
import { loadPolicy } from "./policy/load_policy.ts";
import { print, say } from "./print.ts";
import { readSwitches } from "./switches.ts";
import { clusterSvg } from "./replay_trace/cluster_svg.ts";
import { figuresOf } from "./replay_trace/figures.ts";
import { figuresTable, type RuleFigures } from "./replay_trace/figures_table.ts";
import { Planning } from "./replay_trace/planning.ts";
import { type Ran, type Replayed, replayJobs, replayJobsWith } from "./replay_trace/replay_jobs.ts";
import { estimateKinds, runTimesBy } from "./replay_trace/run_times.ts";
import { type Job, readJobs, readNodes, type TraceNode } from "./replay_trace/trace_files.ts";

const command = new Command("deno task replay-trace")
  .description(
    "Replays the jobs of a file on the nodes of another, by the plan that the relay makes, once for each rule of backfill: " +
      "what would have been. A job is a gang of members with one GPU each; one that is larger than the cluster is left out.",
  )
  .argument(
    "<jobs.csv>",
    "columns num_gpu, submit_time and duration (in ms), and job_id, priority and namespace if there are any; a policy is told each other column as an attribute of the gang",
  )
  .addOption(
    new Option(
      "--nodes <file>",
      "CSV with the columns gpu and sn or name, and rack if there are racks; or <count>x<GPUs>, as 52x8",
    )
      .env("MUSTER_TRACE_NODES").makeOptionMandatory(),
  )
  .addOption(
    new Option("--gpus <count>", "take nodes evenly from the file, with at most so many GPUs")
      .env("MUSTER_TRACE_GPUS").default(Infinity, "all nodes").argParser(parseCount),
  )
  .addOption(
    new Option("--add-nodes <count>", "so many nodes more, like the one with the most GPUs")
      .env("MUSTER_TRACE_ADD_NODES").default(0).argParser(parseCount),
  )
  .addOption(
    new Option(
      "--backfill <rules>",
      `rules, separated by commas: ${backfillRules}; absent: the profile's`,
    )
      .env("MUSTER_BACKFILL").argParser(parseRules),
  )
  .addOption(
    new Option(
      "--policy <file>",
      "a policy of your own that answers queue-sort, admit or both, beside Muster's: each rule is replayed with it too",
    )
      .env("MUSTER_POLICY"),
  )
  .addOption(
    new Option("--profile <name>", "the settings that are planned by").env("MUSTER_PROFILE")
      .default("default")
      .choices(Object.keys(profiles)),
  )
  .addOption(
    new Option("--estimates <kind>", `what is known of run times beforehand: ${estimateKinds}`)
      .env("MUSTER_TRACE_ESTIMATES").default("true").argParser(parseEstimates),
  )
  .addOption(
    new Option("--priorities", "higher priorities of the file first; else all jobs are of one")
      .env("MUSTER_TRACE_PRIORITIES"),
  )
  .addOption(
    new Option("--out <folder>", "where trace.json and trace.svg are written")
      .env("MUSTER_TRACE_OUT"),
  )
  .exitOverride();

interface Options {
  readonly nodes: string;
  readonly gpus: number;
  readonly addNodes: number;
  readonly backfill?: readonly string[];
  readonly policy?: string;
  readonly profile: ProfileName;
  readonly estimates: string;
  readonly priorities?: boolean;
  readonly out?: string;
}

/** What became of the jobs under one rule. */
interface Outcome {
  readonly figures: RuleFigures;
  readonly ran: readonly Ran[];
}

async function main(args: string[]): Promise<number> {
  const { args: [file] } = command.parse(args, { from: "user" });
  readSwitches(command);
  const options = command.opts<Options>();
  const jobs = await jobsIn(file!, options);
  const nodes = withMore(await nodesIn(options), options.addNodes);
  const gpus = nodes.reduce((sum, node) => sum + node.gpus, 0);
  print(
    `${jobs.length} jobs on ${nodes.length} nodes with ${gpus} GPUs; run times: ${options.estimates}`,
  );
  const rules = options.backfill ?? [profiles[options.profile].backfill];
  const outcomes = new Map<string, Outcome>();
  for (const rule of rules) {
    const replayed = { rule, jobs, nodes, options };
    outcomes.set(rule, replay(replayed));
    if (options.policy === undefined) continue;
    const name = `${rule} + ${basename(options.policy)}`;
    outcomes.set(name, await replayWith(options.policy, { name, ...replayed }));
  }
  const figures = new Map([...outcomes].map(([rule, { figures }]) => [rule, figures]));
  print(figuresTable(figures));
  if (options.out !== undefined) await write(options.out, { gpus, outcomes, options });
  return exitCodes.done;
}

async function jobsIn(path: string, { priorities }: Options): Promise<Job[]> {
  const jobs = readJobs({ path, text: await textOf(path) });
  return priorities ? jobs : jobs.map((job) => ({ ...job, priority: 0 }));
}

async function nodesIn({ nodes, gpus }: Options): Promise<TraceNode[]> {
  const [, count, each] = /^(\d{1,5})x(\d{1,4})$/.exec(nodes) ?? [];
  const rows = Array.from({ length: Number(count) || 0 }, (_, at) => `node-${at},${each}`);
  const text = rows.length > 0 ? ["name,gpu", ...rows].join("\n") : await textOf(nodes);
  const found = readNodes({ path: nodes, text }, { gpus });
  if (found.length > 0) return found;
  throw new Failure(`No node of "${nodes}" has GPUs, or --gpus is too few: give nodes with some`);
}

async function textOf(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    throw new Failure(`Cannot read "${path}": ${(error as Error).message}`);
  }
}

function withMore(nodes: readonly TraceNode[], count: number): TraceNode[] {
  const largest = nodes.reduce((a, b) => b.gpus > a.gpus ? b : a);
  const more = Array.from({ length: count }, (_, at) => ({ ...largest, name: `added-${at}` }));
  return [...nodes, ...more];
}

/** What is replayed, and by which rule. */
interface Replay {
  readonly rule: string;
  readonly jobs: readonly Job[];
  readonly nodes: readonly TraceNode[];
  readonly options: Options;
}

function replay({ jobs, ...what }: Replay): Outcome {
  const { rule, nodes } = what;
  const placer = planningFor(what);
  const replayed = replayJobs(jobs, { nodes, placer, onProgress: progressOf(rule) });
  return outcomeOf(replayed, { nodes, placer });
}

/** The same, where a policy of one's own answers some stages; what it remembers of one replay is not for the next. */
async function replayWith(path: string, { name, ...what }: Replay & { name: string }) {
  const { jobs, nodes } = what;
  const placer = planningFor(what);
  try {
    const policy = await loadPolicy(path, { cluster: name });
    const stages = stagesOf(policy);
    const place = (now: number) => decided(placer.placing(now, stages), policy);
    const how = { jobs, nodes, placer, onProgress: progressOf(name) };
    return outcomeOf(await replayJobsWith(place, how), { nodes, placer });
  } catch (error) {
    throw error instanceof Failure ? error : new Failure((error as Error).message);
  }
}

function planningFor({ rule, nodes, options }: Omit<Replay, "jobs">): Planning {
  const { matchPolicy } = profiles[options.profile];
  return new Planning(nodes, {
    backfill: backfillOf(rule)!,
    settings: { matchPolicy },
    runTimes: runTimesBy(options.estimates)!,
  });
}

function outcomeOf(
  replayed: Replayed,
  { nodes, placer }: { nodes: readonly TraceNode[]; placer: Planning },
): Outcome {
  const plans = placer.costs.figures();
  return { figures: { ...figuresOf(replayed, nodes), plans }, ran: replayed.ran };
}

/** Says every two seconds how far a rule is. */
function progressOf(rule: string): (started: number, of: number) => void {
  let saidAt = performance.now();
  return (started, of) => {
    if (performance.now() - saidAt < 2000) return;
    saidAt = performance.now();
    say(printable(`${rule}: ${started} of ${of} jobs have started`));
  };
}

async function write(
  folder: string,
  { gpus, outcomes, options }: {
    gpus: number;
    outcomes: ReadonlyMap<string, Outcome>;
    options: Options;
  },
): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const policies = Object.fromEntries([...outcomes].map(([rule, { figures }]) => [rule, figures]));
  const report = { gpus, estimates: options.estimates, profile: options.profile, policies };
  await Deno.writeTextFile(join(folder, "trace.json"), `${JSON.stringify(report, null, 2)}\n`);
  const ran = new Map([...outcomes].map(([rule, { ran }]) => [rule, ran]));
  await Deno.writeTextFile(join(folder, "trace.svg"), clusterSvg(ran, { gpus }));
}

function parseRules(text: string): string[] {
  const rules = text.split(",").map((rule) => rule.trim());
  for (const rule of rules) {
    if (backfillOf(rule)) continue;
    throw new InvalidArgumentError(`"${rule}" is none of ${backfillRules}`);
  }
  return [...new Set(rules)];
}

function parseEstimates(text: string): string {
  if (runTimesBy(text)) return text;
  throw new InvalidArgumentError(`"${text}" is none of ${estimateKinds}`);
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= 100_000) return count;
  throw new InvalidArgumentError(`"${text}" is not a whole number from 0 to 100000`);
}

if (import.meta.main) await exitWith(() => main(Deno.args));
