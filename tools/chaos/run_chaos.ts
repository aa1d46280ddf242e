import type { KubernetesObject } from "../control_plane/api_client.ts";
import { untilReady } from "../control_plane/readiness.ts";
import { type Action, type ChaosOptions, describeDeed, drawActions } from "./actions.ts";
import type { ChaosReport, Fault } from "./report.ts";
import { strike } from "./strike.ts";
import { type ProcessName, System } from "./system.ts";
import { isBound, Tenants } from "./tenants.ts";
import { namespace, nodeCount } from "./gangs.ts";
import { wrongAtEnd, wrongAtRest } from "./verdict.ts";
import { sleep } from "../sleep.ts";

/** Nothing was bound or lost for so long: the cluster rests. */
const restMs = 8000;
/** What is silent towards the API server is noticed after 70 s, and a round may then have to end by its time. */
const patienceMs = 240_000;
const tellMs = 10_000;

/** Lives through what is drawn, and tells what became of it. */
export async function runChaos(
  options: ChaosOptions & { dir: string; onProgress: (line: string) => void },
): Promise<ChaosReport> {
  const { onProgress } = options;
  const actions = drawActions(options);
  await using system = await System.start(options);
  const startedAt = Date.now();
  const now = () => Date.now() - startedAt;
  await using tenants = new Tenants(system.controlPlane.api, { namespace, now });
  const faults: Fault[] = [];
  const timer = setInterval(() => onProgress(tell(tenants, { faults, actions, now })), tellMs);
  const wrong: string[] = [];
  let restedAt = 0;
  try {
    await strikeAll(actions, { system, tenants, faults, now });
    onProgress("every fault is over: waiting until the cluster rests");
    tenants.mode = "nobody ends";
    await heal(system);
    wrong.push(...await untilAtRest(tenants));
    restedAt = now();
    const nodes = await system.controlPlane.api.list("/api/v1/nodes");
    wrong.push(...wrongAtRest(tenants.live, { pods: tenants.pods, nodes }));
    onProgress("at rest: letting every gang end");
    tenants.mode = "all end";
    await untilGone(tenants);
    await sleep(1000);
    wrong.push(...await wrongAtEnd(tenants.tenancies, system));
  } finally {
    clearInterval(timer);
  }
  return {
    seed: options.seed,
    minutes: options.minutes,
    actions,
    faults,
    restedAt,
    endedAt: now(),
    tenancies: tenants.tenancies,
    samples: tenants.samples,
    ownEnds: Object.values(system.parts).flatMap(({ ownEnds }) => ownEnds)
      .map((end) => ({ ...end, at: end.at - startedAt })),
    hasDisk: system.disk !== undefined,
    load: Deno.loadavg(),
    wrong,
  };
}

/** Does everything at its time; resolves when all of it is over. */
async function strikeAll(
  actions: readonly Action[],
  { system, tenants, faults, now }: {
    system: System;
    tenants: Tenants;
    faults: Fault[];
    now: () => number;
  },
): Promise<void> {
  const doing: Promise<void>[] = [];
  for (const { at, deed } of actions) {
    await sleep(Math.max(0, at - now()));
    const from = now();
    const told = strike(deed, { system, tenants })
      .catch((error: Error) => `not done: ${error.message}`);
    if (deed.do === "create") continue;
    doing.push(told.then((found) => {
      faults.push({ from, to: now(), deed, ...(found === undefined ? {} : { found }) });
    }));
  }
  await Promise.all(doing);
}

/** Clocks are right again, nodes are there, the disk has room, and everything runs. */
async function heal(system: System): Promise<void> {
  for (const owner of ["relay-a", "relay-b", "functions"] as const) await system.setClock(owner, 0);
  await system.disk?.release();
  await system.untilReady();
  const { signal } = new AbortController();
  await untilReady(async () => {
    const nodes = await system.controlPlane.api.list("/api/v1/nodes");
    for (let index = 0; index < nodeCount; index++) {
      if (!nodes.some(({ metadata }) => metadata.name === `node-${index}`)) {
        await system.addNode(index);
      }
    }
    return true;
  }, { what: "the nodes", signal });
}

async function untilAtRest(tenants: Tenants): Promise<string[]> {
  const from = performance.now();
  let seen = "";
  for (let since = from; performance.now() - since < restMs;) {
    if (performance.now() - from > patienceMs) return ["the cluster does not come to rest"];
    await sleep(500);
    const bound = signatureOf(tenants.pods);
    if (bound !== seen) [seen, since] = [bound, performance.now()];
  }
  return [];
}

function signatureOf(pods: readonly KubernetesObject[]): string {
  return pods.map((pod) => `${pod.metadata.uid}${isBound(pod)}`).sort().join();
}

/** Resolves when every gang is gone, or when it is in vain to wait for it: what is left over is told by the verdict. */
async function untilGone(tenants: Tenants): Promise<void> {
  let left = tenants.live.length;
  for (let since = performance.now(); performance.now() - since < patienceMs / 2 && left > 0;) {
    await sleep(500);
    if (tenants.live.length < left) [left, since] = [tenants.live.length, performance.now()];
  }
}

function tell(
  tenants: Tenants,
  { faults, actions, now }: { faults: Fault[]; actions: readonly Action[]; now: () => number },
): string {
  const { waiting = 0, partial = 0, whole = 0 } = tenants.samples.at(-1) ?? {};
  const kills = faults.filter(({ deed }) => deed.do === "kill").length;
  const all = actions.filter(({ deed }) => deed.do === "kill").length;
  const seconds = Math.round(now() / 1000);
  return `${seconds} s: ${kills} of ${all} kills, ${faults.length} faults; gangs: ${waiting} wait, ${partial} are ` +
    `bound in part, ${whole} run, ${tenants.tenancies.length - tenants.live.length} have run`;
}

/** What an end of its own tells, where it is the program's fault and not the cluster's. */
export function crashesOf({ ownEnds }: ChaosReport): string[] {
  const isMuster = (part: string) =>
    (["relay-a", "relay-b", "functions"] satisfies ProcessName[] as string[]).includes(part);
  // workerd itself ends where the disk under its SQLite is full, and is started anew.
  const isFullDisk = (said: string) => /SQLITE_(IOERR|FULL)|disk is full/.test(said);
  return ownEnds
    .filter(({ part, said }) => isMuster(part) && /Uncaught|panic/i.test(said) && !isFullDisk(said))
    .map(({ part, said }) => `${part} crashed: ${said}`);
}

/** One line about each action, in their order. */
export function describeActions(actions: readonly Action[]): string[] {
  return actions.map(({ at, deed }) =>
    `${(at / 1000).toFixed(1).padStart(7)} s  ${describeDeed(deed)}`
  );
}
