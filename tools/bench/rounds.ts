/**
 * Where members land that the plan has sent somewhere, and why rounds fail: told from a recording of a run on a real control
 * plane.
 *
 * @module
 */
import { join } from "node:path";
import { readRecording } from "../../cli/replay/read_recording.ts";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { Replay } from "../../shared/core/record/replay.ts";
import { type Landings, landingsIn } from "./landings.ts";
import { table } from "./report.ts";
import { runWork } from "./run_work.ts";
import { RunningSystem, systems } from "./systems.ts";
import { type Topology, type Work, works } from "./work.ts";

/** What to run. */
export interface RoundsOptions {
  /** Names of {@linkcode works}. */
  work: string[];
  onProgress: (line: string) => void;
}

/** What came of a work. */
export interface RoundsRow extends Landings {
  work: string;
  topology: string;
}

const topologies: Record<string, Topology | undefined> = {
  "none": undefined,
  "a rack preferred": { preferred: "rack" },
  "a rack required": { required: "rack" },
};

/** Runs each work on Muster as installed by default, once with each topology. */
export async function runRounds({ work: names, onProgress }: RoundsOptions): Promise<RoundsRow[]> {
  const rows: RoundsRow[] = [];
  for (const name of names) {
    for (const [topology, declared] of Object.entries(topologies)) {
      const work = works[name]!;
      const gangs = declared
        ? work.gangs.map((gang) => ({ ...gang, topology: declared }))
        : work.gangs;
      const row = { work: name, topology, ...await landingsOf({ ...work, gangs }, onProgress) };
      onProgress(JSON.stringify(row));
      rows.push(row);
    }
  }
  return rows;
}

/** The figures as a markdown table. */
export function roundsTable(rows: readonly RoundsRow[]): string {
  return table(
    ["work", "topology", "members", "sent to a node", "there in the first round", "rounds failed"],
    rows.map(({ work, topology, members, sent, planned, failed }) => [
      work,
      topology,
      String(members),
      String(sent),
      sent === 0 ? "–" : `${(100 * planned / sent).toFixed(2)} %`,
      Object.entries(failed).map(([reason, count]) => `${count} ${reason}`).join(", ") || "0",
    ]),
  );
}

/** A copy of a recording that outlives the run. */
async function kept(file: string): Promise<string> {
  const copy = await Deno.makeTempFile({ prefix: "muster-rounds-", suffix: ".recording" });
  await Deno.copyFile(file, copy);
  return copy;
}

async function landingsOf(
  work: Work,
  onProgress: RoundsOptions["onProgress"],
): Promise<Landings> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-rounds-" });
  const file = join(dir, "muster.recording");
  const system = systems["adaptive"]!;
  try {
    await using running = await RunningSystem.start(system, {
      dir: join(dir, "cluster"),
      isRecorded: false,
      isProfiled: false,
      muster: () => ({ extraArgs: [`--record=${file}`] }),
    });
    await running.growTo(work.nodes);
    const run = await runWork(work, {
      client: running.client,
      declaration: system.declaration,
      started: () => {},
      ended: () => {},
    });
    if (run.isStuck) throw new Error(`Gangs of "${work.name}" stayed pending`);
    await running.controlPlane.stop();
    const replay = new Replay(decisions);
    const lines = await readRecording(file);
    const landings = landingsIn(lines.flatMap(({ line }) => replay.next(line)));
    if (Object.keys(landings.failed).length > 0) onProgress(`kept for replay: ${await kept(file)}`);
    return landings;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}
