import { figuresOf } from "./figures.ts";
import type { RunRecord } from "./run_record.ts";
import type { Summary } from "./summary.ts";
import { systems } from "./systems.ts";
import { idealSeconds, type Work, works } from "./work.ts";

/** How a system does by one of the goals. */
export interface TargetResult {
  system: string;
  /** What is wanted, such as "contended: time <= 1.05 of native". */
  target: string;
  value: number;
  isMet: boolean;
}

interface Ratio {
  name: string;
  work: string;
  figure: "seconds" | "podsPerSecond";
  /** What the median is divided by: the ideal, or that of another system or another work. */
  to: "ideal" | { system: string } | { work: string };
  atMost?: number;
  atLeast?: number;
}

const ratios: Ratio[] = [
  {
    name: "time to native's",
    work: "contended",
    figure: "seconds",
    to: { system: "native" },
    atMost: 1.05,
  },
  {
    name: "time to the ideal",
    work: "contended",
    figure: "seconds",
    to: "ideal",
    atMost: 1.25,
  },
  {
    name: "pods/s to plain's",
    work: "free",
    figure: "podsPerSecond",
    to: { system: "plain" },
    atLeast: 0.7,
  },
  {
    name: "pods/s to native's",
    work: "free",
    figure: "podsPerSecond",
    to: { system: "native" },
    atLeast: 1.4,
  },
  {
    name: "pods/s to those of mix",
    work: "mix-impossible",
    figure: "podsPerSecond",
    to: { work: "mix" },
    atLeast: 0.95,
  },
];

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
  const { name, work, figure, to, atMost, atLeast } = ratio;
  const medianOf = (at: { work: string; system: string }) =>
    summaries.find((summary) => summary.work === at.work && summary.system === at.system)
      ?.[figure]?.median;
  const own = medianOf({ work, system });
  const other = to === "ideal"
    ? idealSeconds(works[work] as Work)
    : medianOf({ work, system, ...to });
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
