import { join } from "node:path";
import { DelayProxy } from "./delay_proxy.ts";
import { table } from "./report.ts";
import { runWork } from "./run_work.ts";
import { type Spread, spreadOf } from "./spread.ts";
import { startHost } from "./store_host.ts";
import { RunningSystem, systems } from "./systems.ts";
import { warmUpWork, type Work, works } from "./work.ts";

/** How far away the functions are, and how often that is measured. */
export interface DistanceOptions {
  /** What every call of the functions takes longer, in ms. */
  delayMs: number;
  /** Runs near by and as many far away, in turn. */
  repetitions: number;
  /** Gangs of a run, 100 at most. */
  gangs: number;
  onProgress: (line: string) => void;
}

/** Gangs of 8 bound per second on a cluster with room for all. */
export interface DistanceFigures {
  near: Spread;
  far: Spread;
  /** The medians, far over near. */
  ratio: number;
}

/** Runs the same work with the functions near by and far away, on one control plane. */
export async function runDistance(options: DistanceOptions): Promise<DistanceFigures> {
  const { delayMs, repetitions, gangs, onProgress } = options;
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-distance-" });
  const { host } = await startHost("embedded", join(dir, "functions"));
  const proxy = new DelayProxy(host.url);
  try {
    const system = systems["ungated"]!;
    await using running = await RunningSystem.start(system, {
      dir: join(dir, "cluster"),
      isRecorded: false,
      isProfiled: false,
      muster: () => ({ extraArgs: [`--functions-url=${proxy.url}`] }),
    });
    const free = works["free"]!;
    const work = { ...free, gangs: free.gangs.slice(0, gangs) };
    await running.growTo(work.nodes);
    const gangsPerSecond = async (work: Work, delay: number): Promise<number> => {
      proxy.delayMs = delay;
      const run = await runWork(work, {
        client: running.client,
        declaration: system.declaration,
        started: () => {},
        ended: () => {},
      });
      if (run.isStuck) throw new Error(`Gangs stayed pending with the functions ${delay} ms away`);
      return run.gangs.length / ((run.endedAt - run.startedAt) / 1000);
    };
    await gangsPerSecond(warmUpWork, 0);
    const found = { near: [] as number[], far: [] as number[] };
    for (let run = 0; run < 2 * repetitions; run++) {
      // near, far, far, near: what changes slowly meets both alike.
      const which = run % 4 === 0 || run % 4 === 3 ? "near" : "far";
      const speed = await gangsPerSecond(work, which === "near" ? 0 : delayMs);
      found[which].push(speed);
      onProgress(`${which}: ${speed.toFixed(1)} gangs/s`);
    }
    const [near, far] = [spreadOf(found.near)!, spreadOf(found.far)!];
    return { near, far, ratio: far.median / near.median };
  } finally {
    await proxy.stop();
    await host.stop();
    await Deno.remove(dir, { recursive: true });
  }
}

/** The figures as a markdown table. */
export function distanceTable({ near, far, ratio }: DistanceFigures, delayMs: number): string {
  const row = (name: string, { median, min, max }: Spread) => [
    name,
    ...[median, min, max].map((value) => value.toFixed(1)),
  ];
  const rows = [row("near by", near), row(`${delayMs} ms away`, far)];
  return `${table(["functions", "gangs/s", "min", "max"], rows)}\n\nratio ${ratio.toFixed(2)}`;
}
