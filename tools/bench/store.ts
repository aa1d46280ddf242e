import { join } from "node:path";
import { table } from "./report.ts";
import { gangCalls, listCalls, permitCalls, queueSortCalls, reportCalls } from "./store_calls.ts";
import { bundleFor, residentMb, startHost } from "./store_host.ts";
import { type Call, call, load, type LoadFigures } from "./store_load.ts";

/** What to measure. */
export interface StoreOptions {
  /** Names of {@linkcode startHost}'s. */
  hosts: string[];
  /** Time of each measurement, in s. */
  seconds: number;
  /** Calls at a time. */
  connections: number;
  /** Gangs that wait while the index is measured. */
  gangs: number;
  onProgress: (line: string) => void;
}

/** A measurement of one kind of call. */
export interface StoreRow extends LoadFigures {
  host: string;
  what: string;
  objects: number;
}

/** What was measured, and of each host its start, in ms until its first answer, and its memory, in MB. */
export interface StoreFigures {
  rows: StoreRow[];
  hosts: { host: string; startMs: number; idleMb: number; busyMb: number }[];
}

const sizes = [2, 8, 64, 1000];
const objectCounts = [1, 100];

/** Measures each host, one after another. */
export async function runStore(options: StoreOptions): Promise<StoreFigures> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-store-" });
  const figures: StoreFigures = { rows: [], hosts: [] };
  try {
    await bundleFor(dir);
    for (const name of options.hosts) await measure(name, { dir, options, figures });
    return figures;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function measure(
  name: string,
  { dir, options, figures }: { dir: string; options: StoreOptions; figures: StoreFigures },
): Promise<void> {
  const { seconds, connections, gangs, onProgress } = options;
  const { host, startMs } = await startHost(name, join(dir, name));
  try {
    const idleMb = await residentMb(host.pid);
    const run = async (what: string, objects: number, next: () => Call) => {
      onProgress(`${name}: ${what}, ${objects} objects`);
      await callEach(host.url, { next, count: objects, connections });
      const found = await load(host.url, { connections, ms: seconds * 1000, next });
      figures.rows.push({ host: name, what, objects, ...found });
    };
    for (const size of sizes) {
      for (const objects of objectCounts) {
        await run(`permit, gang of ${size}`, objects, permitCalls({ objects, size }));
      }
    }
    await run("prefilter and its line in the index", 100, reportCalls(100));
    onProgress(`${name}: ${gangs} gangs come to wait`);
    await callEach(host.url, { next: reportCalls(gangs), count: gangs, connections });
    await run(`prefilter and its line among ${gangs}`, 100, reportCalls(100));
    await run(`one gang among ${gangs}`, 2, gangCalls(gangs));
    await run(`list of 500 among ${gangs}`, 1, listCalls(500));
    await run("queue-sort of 10 gangs", 1, queueSortCalls(10));
    await run("queue-sort of 1000 gangs", 1, queueSortCalls(1000));
    figures.hosts.push({ host: name, startMs, idleMb, busyMb: await residentMb(host.pid) });
  } finally {
    await host.stop();
  }
}

/** Makes so many calls: an object is slow at its first one. */
async function callEach(
  url: string,
  { next, count, connections }: { next: () => Call; count: number; connections: number },
): Promise<void> {
  const calls = Array.from({ length: count }, next).values();
  const loop = async () => {
    for (const one of calls) await call(url, one);
  };
  await Promise.all(Array.from({ length: connections }, loop));
}

/** The figures as markdown tables. */
export function storeTables({ rows, hosts }: StoreFigures): string {
  const calls = table(
    ["host", "call", "objects", "calls/s", "p50 ms", "p95 ms", "p99 ms"],
    rows.map((row) => [
      row.host,
      row.what,
      String(row.objects),
      row.callsPerSecond.toFixed(0),
      ...[row.p50, row.p95, row.p99].map((ms) => ms.toFixed(1)),
    ]),
  );
  const processes = table(
    ["host", "ms until its first answer", "MB idle", "MB after all calls"],
    hosts.map((host) => [
      host.host,
      ...[host.startMs, host.idleMb, host.busyMb].map((value) => value.toFixed(0)),
    ]),
  );
  return `${calls}\n\n${processes}`;
}
