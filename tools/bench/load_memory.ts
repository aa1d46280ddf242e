import type { Gang } from "./work.ts";
import { encodeMembers } from "./load_client.ts";
import { inTurn } from "./load_pods.ts";
import { sampleOf } from "./process_sample.ts";
import { type Spread, spreadOf } from "./spread.ts";
import type { RunningSystem } from "./systems.ts";
import { sleep } from "../sleep.ts";

/** MiB of the relay's process beside pods that run, over the time after they were created. */
export interface MemoryFigures {
  pods: number;
  mebibytes: Spread;
  /** At the end of that time. */
  last: number;
}

const watchedMs = 60_000;
const sampleMs = 1000;

/** Has so many regular pods run on the nodes, and looks at the relay's process while nothing else happens. */
export async function memoryBeside(
  { client, muster }: RunningSystem,
  { pods, nodes }: { pods: number; nodes: number },
): Promise<MemoryFigures> {
  const all: Gang = { name: "running", size: pods, gpus: 1 };
  const bodies = encodeMembers(all, { isNone: true, onNodes: nodes });
  await inTurn(bodies, (body) => client.createPod(body));
  const samples: number[] = [];
  const until = Date.now() + watchedMs;
  while (Date.now() < until) {
    await sleep(sampleMs);
    samples.push(sampleOf(muster!.process.pid).mebibytes);
  }
  return { pods, mebibytes: spreadOf(samples)!, last: samples.at(-1)! };
}
