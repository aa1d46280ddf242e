/**
 * What the first answer of a stage costs on workerd whose isolate nobody has called before.
 *
 * @module
 */
import { join } from "node:path";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { musterWorker, startWorkerd } from "../../cli/workerd.ts";
import { table } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";
import { permitCalls } from "./store_calls.ts";
import { call } from "./store_load.ts";

/** CPU ms until the first answer, beyond those of a Worker that does nothing: the difference of medians. */
export interface ColdRow {
  stage: string;
  bytes: number;
  gzipBytes: number;
  cpuMs: number;
  /** Of the stage, and of the empty Worker in its place. */
  own: Spread;
  empty: Spread;
}

const emptyWorker = 'export default { fetch: () => new Response("") };';
/** The stage that is called first wakes the objects, which are another Worker's. */
const warmerOf: Readonly<Record<string, string>> = { permit: "prefilter", prefilter: "permit" };

/** Starts workerd again and again, with each stage and with an empty Worker in its place in turn. */
export async function runCold(
  { repetitions, onProgress }: { repetitions: number; onProgress: (line: string) => void },
): Promise<ColdRow[]> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-cold-" });
  try {
    const { permit, prefilter, store } = edgeEntries as Record<string, string>;
    const entries = { permit: permit!, prefilter: prefilter!, store: store! };
    const bundles = await bundleWorkers(entries, dir);
    await Deno.writeTextFile(join(dir, "empty.js"), emptyWorker);
    const stages = ["permit", "prefilter"] as const;
    const own: Record<string, number[]> = { permit: [], prefilter: [] };
    const empty: Record<string, number[]> = { permit: [], prefilter: [] };
    for (let round = 0; round < repetitions; round++) {
      for (const stage of stages) {
        own[stage]!.push(await answeredCpuMs(dir, { stage, isEmpty: false }));
        empty[stage]!.push(await answeredCpuMs(dir, { stage, isEmpty: true }));
      }
      if (round % 10 === 9) onProgress(`${round + 1} of ${repetitions} starts of each`);
    }
    return stages.map((stage) => {
      const { bytes, gzipBytes } = bundles[stage];
      const spreads = { own: spreadOf(own[stage]!)!, empty: spreadOf(empty[stage]!)! };
      const cpuMs = spreads.own.median - spreads.empty.median;
      return { stage, bytes, gzipBytes, cpuMs, ...spreads };
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

/** The rows as a markdown table. */
export function coldTable(rows: readonly ColdRow[]): string {
  const shown = ({ median, min, max }: Spread) =>
    `${median.toFixed(1)} (${min.toFixed(1)} to ${max.toFixed(1)})`;
  return table(
    ["one stage", "bytes", "gzipped", "CPU ms until its first answer", "workerd's", "without it"],
    rows.map(({ stage, bytes, gzipBytes, cpuMs, own, empty }) => [
      stage,
      String(bytes),
      String(gzipBytes),
      cpuMs.toFixed(1),
      shown(own),
      shown(empty),
    ]),
  );
}

/** CPU ms that a workerd has taken by the time at which it has answered a call of a stage, or of an empty Worker in its place. */
async function answeredCpuMs(
  dir: string,
  { stage, isEmpty }: { stage: string; isEmpty: boolean },
): Promise<number> {
  const warmer = warmerOf[stage]!;
  const own = join(dir, "workerd");
  const objects = musterWorker.objects.map((object) => ({ ...object, script: "store" }));
  const workerd = await startWorkerd({
    dir: own,
    workers: {
      store: { bundle: join(dir, "store.js"), classes: musterWorker.classes },
      warmer: { bundle: join(dir, `${warmer}.js`), objects },
      stage: { bundle: join(dir, isEmpty ? "empty.js" : `${stage}.js`), objects },
    },
  });
  try {
    const next = permitCalls({ objects: 1, size: 8 });
    await call(workerd.urlOf("warmer"), { ...next(), path: `/v1/${warmer}` });
    await call(workerd.urlOf("stage"), { ...next(), path: `/v1/${stage}` });
    return await cpuMsOf(workerd.pid);
  } finally {
    await workerd.stop();
    await Deno.remove(own, { recursive: true });
  }
}

/** CPU ms of all threads of a process, which schedstat counts in ns. */
async function cpuMsOf(pid: number): Promise<number> {
  let ns = 0;
  for await (const { name } of Deno.readDir(`/proc/${pid}/task`)) {
    const [onCpu] = (await Deno.readTextFile(`/proc/${pid}/task/${name}/schedstat`)).split(" ");
    ns += Number(onCpu);
  }
  return ns / 1e6;
}
