/**
 * Muster's process alone: its relay and functions between a scheduler and an API server in memory.
 *
 * @module
 */
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import { join } from "node:path";
import { openPolicy } from "../../functions/serve.ts";
import type { Connection } from "../../shared/client/connection.ts";
import { startRelay } from "../../relay/relay.ts";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { MemoryApi } from "./alone/memory_api.ts";
import { MemoryScheduler } from "./alone/memory_scheduler.ts";
import { nextTurn } from "./alone/turn.ts";
import { cpuSecondsOf } from "./cpu_seconds.ts";
import { table } from "./report.ts";
import { openThreadTimes } from "./thread_times.ts";
import { GPUS_PER_NODE, type Work } from "./work.ts";
import { sleep } from "../sleep.ts";

/** What to measure. */
export interface RelayOptions {
  work: Work;
  /** Pods that run already, evenly on all nodes. */
  pods: number;
}

/** What Muster's process alone took for a work. Times are in ms, of filter and of blocks without waiting for a CPU. */
export interface RelayFigures {
  /** Members that were bound. */
  members: number;
  seconds: number;
  /** Of the process, what stands in for scheduler and API server included. */
  cpuMsPerPod: number;
  writesPerPod: number;
  filterCalls: number;
  filterMedian: number;
  filterP99: number;
  /** The longest time in which nothing else could happen. */
  longestBlock: number;
  /** Megabytes at the end: of the process, and of what JavaScript uses. */
  rss: number;
  heap: number;
}

/** To where nothing listens: all requests go to the API server in memory. */
const connection: Connection = {
  server: "https://127.0.0.1:1",
  tls: {},
  credentials: () => Promise.resolve({}),
  runsProgram: false,
};

/** Pods that are created before anything else happens. */
const PODS_AT_ONCE = 8;
const TICK_MS = 1;

const encoder = new TextEncoder();
const threadTimes = openThreadTimes();

/** Gives a work to a relay, and ends when all members are bound. */
export async function runRelay({ work, pods }: RelayOptions): Promise<RelayFigures> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-relay-" });
  const host = openPolicy({ store: join(dir, "store") });
  const members = work.gangs.reduce((sum, { size }) => sum + size, 0);
  const filterMs: number[] = [];
  const allBound = Promise.withResolvers<void>();
  const bound = new Set<string>();
  let scheduler: MemoryScheduler | undefined;
  const api = new MemoryApi((pod) => {
    if (pod.spec.nodeName) bound.add(pod.metadata.name);
    if (bound.size === members) allBound.resolve();
    scheduler?.heard(pod);
  });
  const gpus = fill(api, { nodes: work.nodes, pods });
  const relay = await startRelay({
    connection,
    fetch: api.fetch,
    watchFetch: api.fetch,
    away: () => {},
    functionsUrl: "http://in-process",
    stages: (cluster) => host.stages(cluster),
    log: () => {},
    decisions: () => decisions,
    schedulerNames: ["muster"],
    longestHoldSeconds: 3500,
    backfill: backfillOf("timed")!,
    expectedSeconds: undefined,
    levels: [],
    isOptIn: false,
    evicts: true,
  });
  try {
    scheduler = new MemoryScheduler(gpus, {
      ask: async (verb, body) => {
        await nextTurn();
        const startedAt = processNow();
        const response = await relay.app.fetch(requestOf(verb, body));
        if (verb === "filter") filterMs.push(processNow() - startedAt);
        return await response.json();
      },
      unschedulable: (pod, message) => api.setUnschedulable(pod, message),
    });
    const cpuBefore = await cpuSecondsOf(Deno.pid);
    const writesBefore = api.writes;
    const startedAt = performance.now();
    const blocks = new Blocks();
    await createAll(work, api);
    await allBound.promise;
    const seconds = (performance.now() - startedAt) / 1000;
    blocks.stop();
    const cpu = await cpuSecondsOf(Deno.pid) - cpuBefore;
    filterMs.sort((a, b) => a - b);
    const { rss, heapUsed } = Deno.memoryUsage();
    return {
      members,
      seconds,
      cpuMsPerPod: cpu * 1000 / members,
      writesPerPod: (api.writes - writesBefore) / members,
      filterCalls: filterMs.length,
      filterMedian: filterMs[Math.floor(filterMs.length / 2)] ?? 0,
      filterP99: filterMs[Math.floor(filterMs.length * 0.99)] ?? 0,
      longestBlock: blocks.longest,
      rss: rss / 2 ** 20,
      heap: heapUsed / 2 ** 20,
    };
  } finally {
    await relay.stop();
    await host.close();
    await Deno.remove(dir, { recursive: true });
  }
}

/** Adds nodes, and evenly on them pods that run; gives the GPUs that are free on each. */
function fill(
  api: MemoryApi,
  { nodes, pods }: { nodes: number; pods: number },
): Map<string, number> {
  const gpus = new Map<string, number>();
  for (let node = 0; node < nodes; node++) {
    const name = `node-${node}`;
    const running = Math.floor(pods / nodes) + Number(node < pods % nodes);
    api.addNode(name, GPUS_PER_NODE + running);
    gpus.set(name, GPUS_PER_NODE);
    for (let pod = 0; pod < running; pod++) api.addRunning(`runs-${node}-${pod}`, name);
  }
  return gpus;
}

/** Creates gang after gang, a few pods at a time. */
async function createAll({ gangs }: Work, api: MemoryApi): Promise<void> {
  let created = 0;
  for (const gang of gangs) {
    for (let index = 0; index < gang.size; index++) {
      api.create({ name: `${gang.name}-${index}`, gang });
      if (++created % PODS_AT_ONCE === 0) await sleep(TICK_MS);
    }
  }
}

/** As Go's client sends it, which says how long the body is. */
function requestOf(verb: string, body: object): Request {
  const bytes = encoder.encode(JSON.stringify(body));
  return new Request(`http://127.0.0.1/extender/${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": String(bytes.length) },
    body: bytes,
  });
}

/** The figures as a markdown table. */
export function relayTable(figures: RelayFigures): string {
  const { members, filterCalls, ...rest } = figures;
  const rows: [string, string][] = [
    ["members bound", String(members)],
    ["s until all bound", rest.seconds.toFixed(2)],
    ["CPU ms a pod, stand-ins included", rest.cpuMsPerPod.toFixed(2)],
    ["writes a pod", rest.writesPerPod.toFixed(2)],
    ["calls of filter", String(filterCalls)],
    ["filter, ms: median, p99", `${rest.filterMedian.toFixed(2)}, ${rest.filterP99.toFixed(2)}`],
    ["longest block of the event loop, ms", rest.longestBlock.toFixed(0)],
    ["memory, MB: process, JavaScript", `${rest.rss.toFixed(0)}, ${rest.heap.toFixed(0)}`],
  ];
  return table(["what", "figure"], rows);
}

/** Looks as often as it can, and how long it could not. */
class Blocks {
  longest = 0;
  #last = processNow();
  readonly #timer = setInterval(() => {
    const now = processNow();
    this.longest = Math.max(this.longest, now - this.#last - TICK_MS);
    this.#last = now;
  }, TICK_MS);

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** A clock in ms that stands while the thread waits for a CPU that other processes have. */
function processNow(): number {
  return performance.now() - threadTimes().waited;
}
