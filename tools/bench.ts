/**
 * `deno task bench`: how Muster does beside what it is measured against.
 *
 * @module
 */
import { join } from "node:path";
import { Command, Option } from "commander";
import { watchLaunchers } from "../shared/http/launchers.ts";
import { runContention } from "./bench/contention.ts";
import { partialGangs } from "./bench/figures.ts";
import { summaryTables, targetTable } from "./bench/report.ts";
import type { RunRecord } from "./bench/run_record.ts";
import { othersShare, summarize } from "./bench/summary.ts";
import { type DistanceOptions, distanceTable, runDistance } from "./bench/distance.ts";
import { described, namesOf, parseCount } from "./bench/arguments.ts";
import { coldTable, runCold } from "./bench/cold.ts";
import { loadGates, type LoadOptions, loadParts, runLoad } from "./bench/load.ts";
import { loadTables } from "./bench/load_figures.ts";
import { type PlanOptions, planTable, runPlan } from "./bench/plan.ts";
import { type RelayOptions, relayTable, runRelay } from "./bench/relay.ts";
import { recoveryTable, runRecovery } from "./bench/recovery.ts";
import { planQueueTable, runPlanQueue } from "./bench/plan_queue.ts";
import { roundsTable, runRounds } from "./bench/rounds.ts";
import { runStore, type StoreOptions, storeTables } from "./bench/store.ts";
import { storeHosts } from "./bench/store_host.ts";
import { systems } from "./bench/systems.ts";
import { runTraces, type TraceOptions, traceTable } from "./bench/traces.ts";
import { targetResults } from "./bench/targets.ts";
import { timelineSvg } from "./bench/timeline_svg.ts";
import { works } from "./bench/work.ts";
import { versions } from "./control_plane/programs.ts";
import { print, say } from "../cli/print.ts";
import { stopAllProcesses } from "../cli/process.ts";

/** Holds what control planes write; removed at the end, however it comes. */
let folder: string | undefined;

/** What others may use of the CPU time before it spoils the times. */
const QUIET_SHARE = 0.1;

interface Options {
  systems: string[];
  work: string[];
  repetitions: number;
  out?: string;
  profile?: string;
}

async function contention(options: Options): Promise<number> {
  folder = await Deno.makeTempDir({ prefix: "muster-bench-" });
  const runs = await runContention({
    ...options,
    dir: folder,
    isRecorded: true,
    works: Object.keys(works).filter((name) => options.work.includes(name)),
    ...(options.profile === undefined ? {} : { profileDir: options.profile }),
    onProgress: say,
  });
  const summaries = summarize(runs.measured);
  const targets = targetResults(summaries, runs.recorded);
  print(summaryTables(summaries));
  if (targets.length > 0) print(`\ngoals\n\n${targetTable(targets)}`);
  const busy = othersShare(runs.measured);
  if (busy > QUIET_SHARE) {
    const percent = Math.round(busy * 100);
    say(`note: other processes used ${percent} % of the CPU time: measure on a quiet machine`);
  }
  if (options.out !== undefined) {
    await Deno.mkdir(options.out, { recursive: true });
    const report = { machine: machine(), summaries, targets, ...runs };
    await Deno.writeTextFile(join(options.out, "contention.json"), JSON.stringify(report));
    await Deno.writeTextFile(join(options.out, "contention.svg"), timelineSvg(runs.recorded));
  }
  const broken = [...runs.measured, ...runs.recorded].filter((run) => isBroken(run));
  for (const { system, work, repetition } of broken) {
    say(`broken: ${system}, ${work}, repetition ${repetition}: given up, or partial gangs`);
  }
  return broken.length > 0 ? 1 : 0;
}

/** With Muster every work must end, and no gang be partial. */
function isBroken(run: RunRecord): boolean {
  return systems[run.system]?.hasMuster === true &&
    (run.isStuck || partialGangs(run).length > 0);
}

function machine(): object {
  const { loadavg, systemMemoryInfo, osRelease } = Deno;
  return {
    date: new Date().toISOString(),
    cores: navigator.hardwareConcurrency,
    memory: systemMemoryInfo().total,
    kernel: osRelease(),
    load: loadavg(),
    deno: Deno.version.deno,
    ...versions,
  };
}

async function distance(
  { out, ...options }: Omit<DistanceOptions, "onProgress"> & { out?: string },
) {
  const figures = await runDistance({ ...options, onProgress: say });
  print(distanceTable(figures, options.delayMs));
  if (out !== undefined) await writeOut(out, "distance.json", { options, ...figures });
  return 0;
}

async function store({ out, ...options }: Omit<StoreOptions, "onProgress"> & { out?: string }) {
  const figures = await runStore({ ...options, onProgress: say });
  print(storeTables(figures));
  if (out !== undefined) await writeOut(out, "store.json", { options, ...figures });
  return 0;
}

async function cold({ out, repetitions }: { out?: string; repetitions: number }) {
  const rows = await runCold({ repetitions, onProgress: say });
  print(coldTable(rows));
  if (out !== undefined) await writeOut(out, "cold.json", { machine: machine(), rows });
  return 0;
}

async function planning({ out, ...options }: PlanOptions & { out?: string }) {
  const rows = runPlan(options);
  print(planTable(rows));
  const queues = runPlanQueue(options);
  print(`\n${planQueueTable(queues)}`);
  const report = { options, machine: machine(), rows, queues };
  if (out !== undefined) await writeOut(out, "plan.json", report);
  return 0;
}

async function relayAlone(
  { out, work, pods }: Pick<RelayOptions, "pods"> & { work: string; out?: string },
) {
  const figures = await runRelay({ work: works[work]!, pods });
  print(relayTable(figures));
  const options = { work, pods };
  if (out !== undefined) {
    await writeOut(out, "relay.json", { options, machine: machine(), figures });
  }
  return 0;
}

async function rounds({ out, work }: { work: string[]; out?: string }) {
  const rows = await runRounds({ work, onProgress: say });
  print(roundsTable(rows));
  if (out !== undefined) await writeOut(out, "rounds.json", { machine: machine(), rows });
  return 0;
}

async function load({ out, ...options }: Omit<LoadOptions, "onProgress"> & { out?: string }) {
  const figures = await runLoad({ ...options, onProgress: say });
  print(loadTables(figures));
  if (out !== undefined) await writeOut(out, "load.json", { options, machine: machine(), figures });
  return 0;
}

async function recovery({ out, repetitions }: { out?: string; repetitions: number }) {
  const rows = await runRecovery({ repetitions, onProgress: say });
  print(`${recoveryTable(rows)}\n\nload of the machine ${Deno.loadavg().join(" ")}`);
  if (out !== undefined) await writeOut(out, "recovery.json", { machine: machine(), rows });
  return 0;
}

async function traces({ out, ...options }: TraceOptions & { out?: string }) {
  const rows = await runTraces(options);
  print(traceTable(rows));
  if (out !== undefined) await writeOut(out, "traces.json", { options, rows });
  return 0;
}

async function writeOut(dir: string, name: string, figures: object): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  await Deno.writeTextFile(join(dir, name), JSON.stringify(figures));
}

/** Runs a benchmark, and ends every process that it started, however it ends. */
async function run(benchmark: () => Promise<number>): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => end(130));
  }
  watchLaunchers(() => end(130));
  try {
    await end(await benchmark());
  } catch (error) {
    say(error instanceof Error ? error.stack ?? error.message : String(error));
    await end(1);
  }
}

const command = new Command("deno task bench").description("Measures Muster");
command.command("contention")
  .description(
    "Gangs that compete for GPUs on a real control plane, which is built with Go once, beside other schedulers",
  )
  .addOption(
    new Option("--systems <names>", `what to measure:${described(systems)}`).env(
      "MUSTER_BENCH_SYSTEMS",
    )
      .default(Object.keys(systems)).argParser(namesOf(systems)),
  )
  .addOption(
    new Option("--work <names>", `what to do:${described(works)}`).env("MUSTER_BENCH_WORK")
      .default(Object.keys(works)).argParser(namesOf(works)),
  )
  .addOption(
    new Option("--repetitions <count>", "how often, in turn").env("MUSTER_BENCH_REPETITIONS")
      .default(5).argParser(parseCount),
  )
  .addOption(
    new Option("--out <folder>", "where contention.json and contention.svg are written").env(
      "MUSTER_BENCH_OUT",
    ),
  )
  .addOption(
    new Option("--profile <folder>", "where CPU profiles of Muster are written")
      .env("MUSTER_BENCH_PROFILE"),
  )
  .action((options: Options) => run(() => contention(options)));
command.command("store")
  .description("The policy functions over the embedded store and over workerd")
  .addOption(
    new Option("--hosts <names>", "what to measure").env("MUSTER_BENCH_HOSTS")
      .default(Object.keys(storeHosts)).argParser(namesOf(storeHosts)),
  )
  .addOption(
    new Option("--seconds <count>", "how long each kind of call is measured")
      .env("MUSTER_BENCH_SECONDS").default(3).argParser(parseCount),
  )
  .addOption(
    new Option("--connections <count>", "calls at a time").env("MUSTER_BENCH_CONNECTIONS")
      .default(16).argParser(parseCount),
  )
  .addOption(
    new Option("--gangs <count>", "gangs that wait while the index is measured")
      .env("MUSTER_BENCH_GANGS").default(2000).argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where store.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => store(options)));
command.command("cold")
  .description(
    "CPU time until the first answer of a stage on workerd, beyond that of an empty Worker",
  )
  .addOption(
    new Option("--repetitions <count>", "how often each is started, in turn")
      .env("MUSTER_BENCH_REPETITIONS").default(51).argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where cold.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => cold(options)));
command.command("plan")
  .description("The plan for a gang on a large cluster: the pure function, without a control plane")
  .addOption(
    new Option("--nodes <count>", "nodes, in racks of 16 and blocks of 16 racks")
      .env("MUSTER_BENCH_NODES").default(5000).argParser(parseCount),
  )
  .addOption(
    new Option("--members <count>", "members of the gang").env("MUSTER_BENCH_MEMBERS")
      .default(1000).argParser(parseCount),
  )
  .addOption(
    new Option("--repetitions <count>", "how often").env("MUSTER_BENCH_REPETITIONS").default(20)
      .argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where plan.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => planning(options)));
command.command("relay")
  .description(
    "Muster's process alone, between a scheduler and an API server in memory: CPU time, filter's answers, memory",
  )
  .addOption(
    new Option("--work <name>", "what to do: a work of contention whose gangs stay")
      .env("MUSTER_BENCH_WORK").default("huge")
      .choices(Object.keys(works).filter((name) => works[name]!.holdMs === undefined)),
  )
  .addOption(
    new Option("--pods <count>", "pods that run already").env("MUSTER_BENCH_PODS").default(20_000)
      .argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where relay.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => relayAlone(options)));
command.command("rounds")
  .description(
    "Members that land where they are planned, and rounds that fail, with each kind of topology, on a real control plane",
  )
  .addOption(
    new Option("--work <names>", "what to do").env("MUSTER_BENCH_WORK")
      .default(["contended", "mix"]).argParser(namesOf(works)),
  )
  .addOption(new Option("--out <folder>", "where rounds.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => rounds(options)));
command.command("load")
  .description(
    "Muster under load on a real control plane: a large cluster, gangs that queue and fit nowhere beside regular pods, one large " +
      "gang, then gangs that come and go while every connection to the API server is cut now and then",
  )
  .addOption(
    new Option("--parts <names>", `what to do, separated by commas${described(loadParts)}\n`)
      .env("MUSTER_BENCH_PARTS").default(Object.keys(loadParts)).argParser(namesOf(loadParts)),
  )
  .addOption(
    new Option("--nodes <count>", "nodes of 8 GPUs").env("MUSTER_BENCH_NODES").default(5000)
      .argParser(parseCount),
  )
  .addOption(
    new Option("--gangs <count>", "gangs of 5 that queue and fit nowhere")
      .env("MUSTER_BENCH_GANGS").default(2000).argParser(parseCount),
  )
  .addOption(
    new Option("--gate <system>", "whether gang pods come with the scheduling gate")
      .env("MUSTER_BENCH_GATE").default("adaptive").choices(loadGates),
  )
  .addOption(
    new Option("--pods <count>", "pods that run").env("MUSTER_BENCH_PODS").default(20_000)
      .argParser(parseCount),
  )
  .addOption(
    new Option("--members <count>", "members of the large gang").env("MUSTER_BENCH_MEMBERS")
      .default(1000).argParser(parseCount),
  )
  .addOption(
    new Option("--rounds <count>", "how often regular pods are bound with the queue and without")
      .env("MUSTER_BENCH_ROUNDS").default(6).argParser(parseCount),
  )
  .addOption(
    new Option("--minutes <count>", "how long gangs come and go").env("MUSTER_BENCH_MINUTES")
      .default(5).argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where load.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => load(options)));
command.command("recovery")
  .description(
    "From the kill of each part until a gang is bound, beside a scheduler's own restart, on a real control plane",
  )
  .addOption(
    new Option("--repetitions <count>", "how often").env("MUSTER_BENCH_REPETITIONS").default(5)
      .argParser(parseCount),
  )
  .addOption(
    new Option("--out <folder>", "where recovery.json is written").env("MUSTER_BENCH_OUT"),
  )
  .action((options) => run(() => recovery(options)));
command.command("traces")
  .description(
    "Where the pure plan places the gangs of a real trace, beside a scheduler that knows no gangs; without a control plane",
  )
  .addOption(
    new Option("--jobs <file>", "CSV with job_id, num_gpu, submit_time, duration and priority")
      .env("MUSTER_BENCH_TRACE_JOBS").makeOptionMandatory(),
  )
  .addOption(
    new Option("--nodes <file>", "CSV with sn and gpu; 16 nodes in turn are a rack")
      .env("MUSTER_BENCH_TRACE_NODES").makeOptionMandatory(),
  )
  .addOption(
    new Option("--gpus <count>", "nodes evenly from the file until they have so many GPUs")
      .env("MUSTER_BENCH_TRACE_GPUS").default(Infinity, "all nodes").argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where traces.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => traces(options)));
command.command("distance")
  .description(
    "Gangs per second with the policy functions near by and far away, on a real control plane",
  )
  .addOption(
    new Option("--delay-ms <count>", "what every call of the functions takes longer, in ms")
      .env("MUSTER_BENCH_DELAY").default(40).argParser(parseCount),
  )
  .addOption(
    new Option("--repetitions <count>", "how often near by, and how often far away, in turn")
      .env("MUSTER_BENCH_REPETITIONS").default(5).argParser(parseCount),
  )
  .addOption(
    new Option("--gangs <count>", "gangs of a run, at most 100").env("MUSTER_BENCH_GANGS")
      .default(100).argParser(parseCount),
  )
  .addOption(new Option("--out <folder>", "where distance.json is written").env("MUSTER_BENCH_OUT"))
  .action((options) => run(() => distance(options)));

let ending: Promise<never> | undefined;

/** Ends this process with the first code that it is given. */
function end(code: number): Promise<never> {
  return ending ??= tidyUp().then(() => Deno.exit(code));
}

async function tidyUp(): Promise<void> {
  await stopAllProcesses();
  if (folder !== undefined) await Deno.remove(folder, { recursive: true });
}

if (import.meta.main) await command.parseAsync(Deno.args, { from: "user" });
