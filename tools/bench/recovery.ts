/**
 * How long after a crash pods are bound again, beside the scheduler's own restart.
 *
 * @module
 */
import { join } from "node:path";
import { ApiError } from "../control_plane/api_client.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { Functions } from "../control_plane/functions.ts";
import { type Muster, startMuster } from "../control_plane/muster.ts";
import { untilReady } from "../control_plane/readiness.ts";
import { type Scheduler, startScheduler } from "../control_plane/scheduler.ts";
import { startControlPlane } from "../control_plane/start_control_plane.ts";
import { encodeMembers } from "./load_client.ts";
import { table } from "./report.ts";
import { type Spread, spreadOf } from "./spread.ts";
import { sleep } from "../sleep.ts";

/** How often each crash is lived through. */
export interface RecoveryOptions {
  repetitions: number;
  onProgress: (line: string) => void;
}

/** From the kill of a part, which is started again at once, until a gang is bound that was created then. */
export interface RecoveryRow {
  part: string;
  seconds: Spread;
  /** The median, over that of a scheduler without Muster. */
  ratio: number;
}

/** The scheduler's own restart, which the others are measured by. */
const ownRestart = "kube-scheduler without Muster";

const podsPath = "/api/v1/namespaces/default/pods";
const lookMs = 25;
const patienceMs = 120_000;

/** What can crash, once Muster runs. */
interface Scene {
  controlPlane: ControlPlane;
  scheduler: Scheduler;
  muster: Muster;
  functions: Functions;
}

/** A crash and the start after it; resolves when what was started need not be waited for any more. */
type Crash = (scene: Scene) => Promise<void>;

const crashes: Record<string, Crash> = {
  "kube-scheduler": async ({ scheduler }) => {
    await scheduler.kill();
    await scheduler.start();
  },
  relay: async ({ muster }) => {
    await muster.kill();
    await muster.start();
  },
  "functions and store, Deno": async ({ functions }) => {
    await functions.kill();
    await functions.start();
  },
  "kube-apiserver": ({ controlPlane }) => controlPlane.crashApiServer(),
  etcd: async ({ controlPlane }) => {
    await controlPlane.processes.findLast(({ name }) => name === "etcd")?.kill();
    controlPlane.launch("etcd");
    await controlPlane.untilServing(new AbortController().signal);
  },
};

/** Measures each part in turn, on one control plane. */
export async function runRecovery(options: RecoveryOptions): Promise<RecoveryRow[]> {
  const dir = await Deno.makeTempDir({ prefix: "muster-bench-recovery-" });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => Deno.remove(dir, { recursive: true }));
  const controlPlane = closing.use(await startControlPlane({ dir: join(dir, "cluster") }));
  await controlPlane.addNode("node-1", { gpus: 64, cpus: 64, memory: "64Gi" });

  const plain = await startScheduler(controlPlane);
  const own = await secondsOf(controlPlane, {
    ...options,
    size: 1,
    part: ownRestart,
    crash: async () => {
      await plain.kill();
      await plain.start();
    },
  });
  await plain.kill("SIGTERM");

  const functions = new Functions(join(dir, "functions"));
  closing.defer(() => functions.kill());
  await Deno.mkdir(join(dir, "functions"));
  await functions.start();
  const muster = await startMuster(controlPlane, {
    extraArgs: [`--functions-url=${functions.url}`],
  });
  const scheduler = await startScheduler(controlPlane, { extenderUrl: muster.url });
  const scene = { controlPlane, scheduler, muster, functions };
  const measure = (part: string, crash: Crash) =>
    secondsOf(controlPlane, { ...options, size: 2, part, crash: () => crash(scene) });
  const rows: [string, Spread][] = [[ownRestart, own]];
  for (const [part, crash] of Object.entries(crashes)) {
    rows.push([part, await measure(part, crash)]);
  }

  await functions.kill();
  await functions.start({ runtime: "workerd" });
  rows.push([
    "functions and store, workerd",
    await measure("functions and store, workerd", async () => {
      await functions.kill();
      await functions.start({ runtime: "workerd" });
    }),
  ]);
  return rows.map(([part, seconds]) => ({ part, seconds, ratio: seconds.median / own.median }));
}

let count = 0;

async function secondsOf(
  { api }: ControlPlane,
  { repetitions, size, part, crash, onProgress }: RecoveryOptions & {
    /** Members of the gang; one is a regular pod. */
    size: number;
    part: string;
    crash: () => Promise<void>;
  },
): Promise<Spread> {
  const found: number[] = [];
  const { signal } = new AbortController();
  for (let repetition = -1; repetition < repetitions; repetition++) {
    const gang = { name: `gang-${++count}`, size, gpus: 1 };
    const bodies = encodeMembers(gang, { isNone: size === 1 })
      .map((body) => JSON.parse(new TextDecoder().decode(body)));
    const from = performance.now();
    const create = () =>
      Promise.all(bodies.map((body) => untilAccepted(() => api.create(podsPath, body))));
    const bound = () =>
      untilReady(async () => {
        const pods = await api.list(podsPath);
        return pods.filter(({ metadata, spec }) =>
          metadata.name.startsWith(`${gang.name}-`) && spec.nodeName !== undefined
        ).length === size;
      }, { what: `a gang after a crash of ${part}`, signal, timeoutMs: patienceMs });
    // The first one only warms up: nothing crashes.
    const crashed = repetition < 0 ? Promise.resolve() : crash();
    await create();
    await bound();
    const seconds = (performance.now() - from) / 1000;
    await crashed;
    await api.delete(`${podsPath}?gracePeriodSeconds=0`);
    await api.watchUntil(podsPath, (pods) => pods.length === 0);
    if (repetition < 0) continue;
    onProgress(`${part}: ${seconds.toFixed(2)} s`);
    found.push(seconds);
  }
  return spreadOf(found)!;
}

/** Creates again and again until the API server has it. */
async function untilAccepted(create: () => Promise<unknown>): Promise<void> {
  for (const from = performance.now(); performance.now() - from < patienceMs;) {
    try {
      await create();
      return;
    } catch (error) {
      // What was created before the answer was lost is there.
      if (error instanceof ApiError && error.status === 409) return;
    }
    await sleep(lookMs);
  }
  throw new Error(`The API server takes no pod after ${patienceMs} ms`);
}

/** The figures as a markdown table. */
export function recoveryTable(rows: readonly RecoveryRow[]): string {
  return table(
    ["what is killed", "s until a gang is bound", "min", "max", "times the scheduler's own"],
    rows.map(({ part, seconds: { median, min, max }, ratio }) => [
      part,
      ...[median, min, max].map((value) => value.toFixed(1)),
      ratio.toFixed(1),
    ]),
  );
}
