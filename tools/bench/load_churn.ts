import type { Link } from "../link.ts";
import type { Declaration } from "./load_client.ts";
import { bindPods, deletePods } from "./load_pods.ts";
import type { HeapSize } from "./loop_watch.ts";
import { type Sample, sampleOf } from "./process_sample.ts";
import { binned, type Slope, slopeOfSeries } from "./slope.ts";
import type { RunningSystem } from "./systems.ts";

/** What came and went, and what the relay kept of it. */
export interface ChurnFigures {
  gangs: number;
  /** How often every connection to the API server was cut. */
  cuts: number;
  minutes: number;
  /** An hour, over the second half of the time: MiB of the process, MiB that JavaScript has in use at least, and descriptors. */
  memory: Slope;
  heap: Slope;
  descriptors: Slope;
  samples: Sample[];
}

const lanes = 4;
const cutEveryMs = 20_000;
const sampleMs = 1000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Lets gangs of eight come and go, four at a time, while every connection of the relay to the API server is cut now and then. */
export async function churn(
  { client, muster }: RunningSystem,
  { link, minutes, declaration, onProgress, heaps }: {
    link: Link;
    minutes: number;
    declaration: Declaration;
    onProgress: (line: string) => void;
    /** What has been told so far of what JavaScript has in use. */
    heaps: () => Promise<HeapSize[]>;
  },
): Promise<ChurnFigures> {
  const { pid } = muster!.process;
  const from = Date.now();
  const until = from + minutes * minuteMs;
  const samples: Sample[] = [];
  let gangs = 0;
  let cuts = 0;
  const sampling = setInterval(() => samples.push(sampleOf(pid)), sampleMs);
  const cutting = setInterval(() => {
    link.cut();
    cuts++;
  }, cutEveryMs);
  const telling = setInterval(() => {
    const { mebibytes, descriptors } = sampleOf(pid);
    onProgress(`${gangs} gangs, ${mebibytes.toFixed(0)} MiB, ${descriptors} descriptors`);
  }, minuteMs);
  const come = async (lane: number) => {
    while (Date.now() < until) {
      const gang = { name: `churn-${lane}-${gangs++}`, size: 8, gpus: 1 };
      await bindPods(client, gang, declaration);
      await deletePods(client, gang);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => come(lane)));
  } finally {
    for (const timer of [sampling, cutting, telling]) clearInterval(timer);
  }
  const late = (at: number) => at >= from + minutes * minuteMs / 2;
  const own = samples.filter(({ at }) => late(at));
  const inUse = (await heaps()).filter(({ at }) => late(at) && at <= until);
  return {
    gangs,
    cuts,
    minutes,
    memory: perHour(own.map(({ at, mebibytes }) => ({ at, y: mebibytes }))),
    heap: perHour(inUse.map(({ at, heapMebibytes }) => ({ at, y: heapMebibytes })), lowest),
    descriptors: perHour(own.map(({ at, descriptors }) => ({ at, y: descriptors }))),
    samples,
  };
}

/** By one point a minute. */
function perHour(
  points: { at: number; y: number }[],
  of?: (ys: number[]) => number,
): Slope {
  const hours = points.map(({ at, y }) => ({ x: at / hourMs, y }));
  return slopeOfSeries(binned(hours, minuteMs / hourMs, of));
}

function lowest(values: number[]): number {
  return Math.min(...values);
}
