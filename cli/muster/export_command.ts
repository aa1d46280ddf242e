/**
 * `kubectl muster export`.
 *
 * @module
 */
import { type Command, Option } from "commander";
import type { Node } from "../../shared/kubernetes/types.ts";
import { print } from "../print.ts";
import { type AccessOptions, withCluster, withGangs } from "./access.ts";
import { exitCodes, Failure } from "./failure.ts";
import { jobsFile, nodesFile } from "./trace_csv.ts";

interface ExportOptions extends AccessOptions {
  readonly resource: string;
}

/** Adds the options and the action of the command. */
export function exportCommand(command: Command, ended: (code: number) => void): void {
  command
    .description("write gangs that ran, run and wait, and the nodes, as a trace for replay-trace")
    .argument("<folder>", "where gangs.csv and nodes.csv are written")
    .addOption(
      new Option("--resource <name>", "what a trace counts of gangs and nodes")
        .env("MUSTER_EXPORT_RESOURCE").default("nvidia.com/gpu"),
    )
    .action(async (folder, options) => ended(await run(folder, options)));
}

async function run(folder: string, options: ExportOptions): Promise<number> {
  const { resource } = options;
  const nodes = await withCluster(
    options,
    async (api) => (await api.list<Node>("/api/v1/nodes")).items,
  );
  const past = await withGangs(options, async (client) => ({
    runs: await client.runs(),
    gangs: await client.list(),
  }));
  const { csv, jobs, without, unknown } = jobsFile({ ...past, resource, now: Date.now() });
  if (jobs === 0) {
    throw new Failure(
      `No gang asks for "${resource}" and is known to have run or to run: give another --resource, or try again later`,
    );
  }
  try {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(`${folder}/gangs.csv`, csv);
    await Deno.writeTextFile(`${folder}/nodes.csv`, nodesFile(nodes, resource));
  } catch (error) {
    throw new Failure(`Cannot write to "${folder}": ${(error as Error).message}`);
  }
  print(`${folder}/gangs.csv: ${jobs} gangs`);
  print(`${folder}/nodes.csv: ${nodes.length} nodes`);
  if (without > 0) print(`Left out: ${without} that do not ask for ${resource}`);
  if (unknown > 0) print(`Left out: ${unknown} that wait, and nobody knows how long they run`);
  return exitCodes.done;
}
