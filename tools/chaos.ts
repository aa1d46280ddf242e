/**
 * `deno task chaos`: faults at random on a real control plane.
 *
 * @module
 */
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { print, say } from "../cli/print.ts";
import { stopAllProcesses } from "../cli/process.ts";
import { drawActions } from "./chaos/actions.ts";
import { describeFaults, describeReport } from "./chaos/report.ts";
import { crashesOf, describeActions, runChaos } from "./chaos/run_chaos.ts";
import { unmountAll } from "./chaos/small_disk.ts";
import { chaosSvg } from "./chaos/timeline_svg.ts";
import { canNameHosts } from "./control_plane/host_name.ts";
import { untilAsked } from "./until_asked.ts";

/** Where nothing else is said; 500 in 20 minutes. */
const killsPerMinute = 25;

interface Options {
  seed: number;
  minutes: number;
  kills?: number;
  out?: string;
  list?: boolean;
}

const command = new Command("deno task chaos")
  .description(
    "Lets gangs come in waves to a real control plane with two schedulers and their relays, while processes are killed, stopped " +
      "and restarted, connections cut, delayed and silenced, clocks set, disks filled, nodes taken, pods deleted and specs edited; " +
      "then waits until nothing happens any more, and tells what is wrong. The same seed draws the same faults.",
  )
  .addOption(
    new Option("--seed <n>", "what everything is drawn from; absent: by chance, and told")
      .env("MUSTER_CHAOS_SEED").default(Date.now() % 1_000_000, "by chance").argParser(whole),
  )
  .addOption(
    new Option("--minutes <m>", "how long faults happen").env("MUSTER_CHAOS_MINUTES").default(5)
      .argParser(aboveZero),
  )
  .addOption(
    new Option("--kills <n>", `how many processes are killed; absent: ${killsPerMinute} a minute`)
      .env("MUSTER_CHAOS_KILLS").argParser(whole),
  )
  .addOption(
    new Option(
      "--out <folder>",
      "where chaos.json, chaos.txt and chaos.svg are written, and logs where something is wrong",
    ).env("MUSTER_CHAOS_OUT"),
  )
  .addOption(new Option("--list", "only say what would be done").env("MUSTER_CHAOS_LIST"));

function whole(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new InvalidArgumentError(`"${text}" is not a whole number`);
}

function aboveZero(text: string): number {
  const count = Number(text);
  if (Number.isFinite(count) && count > 0) return count;
  throw new InvalidArgumentError(`"${text}" is not a number above 0`);
}

async function chaos(
  { seed, minutes, kills, out, list }: Options,
  asked: Promise<void>,
): Promise<number> {
  const options = { seed, minutes, kills: kills ?? Math.round(minutes * killsPerMinute) };
  const listed = describeActions(drawActions(options)).join("\n");
  if (list) {
    print(listed);
    return 0;
  }
  if (!await canNameHosts()) {
    throw new Error(
      "Cannot give a process a hostname of its own: run as root, or allow user namespaces",
    );
  }
  say(`seed ${seed}: ${minutes} minutes, ${options.kills} kills`);
  const dir = await Deno.makeTempDir({ prefix: "muster-chaos-" });
  const running = runChaos({ ...options, dir, onProgress: say });
  const found = await Promise.race([running, asked]).catch((error) => {
    say(whereLogsAre(dir));
    throw error;
  });
  if (!found) {
    say(whereLogsAre(dir));
    return 130;
  }
  const report = { ...found, wrong: [...found.wrong, ...crashesOf(found)] };
  const text = describeReport(report);
  print(text);
  if (out !== undefined) {
    await Deno.mkdir(out, { recursive: true });
    await Deno.writeTextFile(join(out, "chaos.json"), JSON.stringify(report));
    const faults = describeFaults(report.faults).join("\n");
    await Deno.writeTextFile(join(out, "chaos.txt"), `${text}\n\n${faults}\n`);
    await Deno.writeTextFile(join(out, "chaos.svg"), chaosSvg(report));
  }
  if (report.wrong.length === 0) await Deno.remove(dir, { recursive: true });
  else print(whereLogsAre(dir));
  return report.wrong.length === 0 ? 0 : 1;
}

function whereLogsAre(dir: string): string {
  return `What each program said: "${dir}"`;
}

async function main(): Promise<number> {
  const options = command.parse(Deno.args, { from: "user" }).opts<Options>();
  try {
    return await chaos(options, untilAsked());
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await stopAllProcesses();
    await unmountAll();
  }
}

if (import.meta.main) Deno.exit(await main());
