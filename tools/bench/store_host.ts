import { join } from "node:path";
import { readiness } from "./store_load.ts";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { startProgram } from "../program.ts";
import { musterWorker, startWorkerd } from "../../cli/workerd.ts";

/** The functions and their store, as a process of its own. */
export interface StoreHost {
  /** Without a slash at its end. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** What runs the store, by name; each starts it on loopback over a folder. */
export const storeHosts: Readonly<Record<string, (dir: string) => Promise<StoreHost>>> = {
  embedded: startEmbedded,
  workerd: startBundle,
};

/** A host that has just answered its first call, and how long that took from its start on, in ms. */
export async function startHost(
  name: string,
  dir: string,
): Promise<{ host: StoreHost; startMs: number }> {
  const startedAt = performance.now();
  const host = await storeHosts[name]!(dir);
  await readiness(host.url);
  return { host, startMs: performance.now() - startedAt };
}

/** Resident memory of a process, in MB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) / 1024;
}

async function startEmbedded(dir: string): Promise<StoreHost> {
  await Deno.mkdir(dir, { recursive: true });
  const { process, url } = await startProgram({
    name: "functions",
    script: "functions/serve.ts",
    args: ["--port=0", `--store=${join(dir, "store")}`],
    logFile: join(dir, "functions.log"),
  });
  return { url, pid: process.pid, stop: () => process.stop() };
}

async function startBundle(dir: string): Promise<StoreHost> {
  const bundle = join(dir, "..", "dist", "worker.js");
  const workerd = await startWorkerd({ dir, workers: { muster: { ...musterWorker, bundle } } });
  return { url: workerd.urlOf("muster"), pid: workerd.pid, stop: () => workerd.stop() };
}

/** Writes what workerd runs into `<dir>/dist`, once, because building it is no part of a start. */
export async function bundleFor(dir: string): Promise<void> {
  await bundleWorkers({ worker: edgeEntries["worker"]! }, join(dir, "dist"));
}
