import { figuresOf } from "./figures.ts";
import type { RunRecord } from "./run_record.ts";
import type { Summary } from "./summary.ts";
import { systems } from "./systems.ts";
import { idealSeconds, type Work, works } from "./work.ts";

/** How a system does by one of the goals. */
export interface TargetResult {
  system: string;
  /** What is wanted, such as "contended: time to native's <= 1.2". */
  target: string;
  value: number;
  isMet: boolean;
}

interface Ratio {
  name: string;
  work: string;
  of: (summary: Summary) => number | undefined;
  /** What it is divided by: the ideal, the same of another system or another work; absent: nothing. */
  to?: "ideal" | { system: string } | { work: string };
  atMost?: number;
  atLeast?: number;
}

const seconds = ({ seconds }: Summary) => seconds?.median;
const podsPerSecond = ({ podsPerSecond }: Summary) => podsPerSecond?.median;
const plain = { name: "plain's", to: { system: "plain" } };
const native = { name: "native's", to: { system: "native" } };

/** Throughput over another system's. */
function throughput(work: string, other: typeof plain, atLeast: number): Ratio {
  return { work, name: `pods/s to ${other.name}`, of: podsPerSecond, to: other.to, atLeast };
}

/** Time over another system's. */
function time(work: string, other: typeof plain, atMost: number): Ratio {
  return { work, name: `time to ${other.name}`, of: seconds, to: other.to, atMost };
}

/** CPU time of Muster's process a pod. */
function musterCpu(work: string, atMost: number): Ratio {
  return { work, name: "CPU ms of Muster a pod", of: (row) => row.cpuMsPerPod["muster"], atMost };
}

const ratios: Ratio[] = [
  time("contended", native, 1.2),
  time("long", native, 1),
  { work: "long", name: "time to the ideal", of: seconds, to: "ideal", atMost: 1.07 },
  { work: "long", name: "CPU s to native's", of: cpuOfAll, to: native.to, atMost: 0.4 },
  throughput("free", plain, 0.8),
  throughput("free", native, 1.3),
  musterCpu("free", 1),
  throughput("thousand", plain, 0.85),
  throughput("thousand", native, 1.3),
  throughput("wide", plain, 0.9),
  throughput("wide", native, 1.2),
  time("huge", plain, 1.15),
  time("huge", native, 0.6),
  musterCpu("huge", 1.2),
  {
    work: "mix-impossible",
    name: "pods/s to those of mix",
    of: podsPerSecond,
    to: { work: "mix" },
    atLeast: 0.95,
  },
];

/** CPU seconds of all processes of a system, without those of the load and of others. */
function cpuOfAll({ cpuSeconds: { bench: _, others: __, ...own } }: Summary): number {
  return Object.values(own).reduce((sum, used) => sum + used, 0);
}

/** Compares each system with Muster to the goals for which there are figures: ratios of medians, and counts that must be 0. */
export function targetResults(summaries: Summary[], recorded: RunRecord[]): TargetResult[] {
  const withMuster = Object.keys(systems).filter((name) => systems[name]?.hasMuster);
  return withMuster.flatMap((system) => [
    ...ratios.flatMap((ratio) => ratioResult(ratio, { summaries, system })),
    ...zeroResults(system, { summaries, recorded }),
  ]);
}

function ratioResult(
  ratio: Ratio,
  { summaries, system }: { summaries: Summary[]; system: string },
): TargetResult[] {
  const { name, work, of, to, atMost, atLeast } = ratio;
  const figureOf = (at: { work: string; system: string }) => {
    const found = summaries.find((row) => row.work === at.work && row.system === at.system);
    return found && of(found);
  };
  const own = figureOf({ work, system });
  const other = to === undefined
    ? 1
    : to === "ideal"
    ? idealSeconds(works[work] as Work)
    : figureOf({ work, system, ...to });
  if (own === undefined || other === undefined) return [];
  const value = own / other;
  return [{
    system,
    target: `${work}: ${name} ${atMost === undefined ? `>= ${atLeast}` : `<= ${atMost}`}`,
    value,
    isMet: value <= (atMost ?? Infinity) && value >= (atLeast ?? 0),
  }];
}

function zeroResults(
  system: string,
  { summaries, recorded }: { summaries: Summary[]; recorded: RunRecord[] },
): TargetResult[] {
  const own = summaries.filter((summary) => summary.system === system);
  const calls = recorded.filter((run) => run.system === system && run.holds);
  const zero = (target: string, values: number[]) =>
    values.length === 0 ? [] : [{
      system,
      target: `${target} = 0`,
      value: Math.max(...values),
      isMet: values.every((value) => value === 0),
    }];
  return [
    ...zero("partial gangs", own.map(({ partialGangs }) => partialGangs)),
    ...zero("overtaken gangs", own.map(({ overtakenGangs }) => overtakenGangs)),
    ...zero("GPU-seconds lost", calls.map((run) => figuresOf(run).lostGpuSeconds)),
  ];
}
