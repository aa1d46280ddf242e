import type { ChurnFigures } from "./load_churn.ts";
import { cpuMsOf, type Speed, type SpeedFigures } from "./load_speeds.ts";
import type { MemoryFigures } from "./load_memory.ts";
import type { LoopBlocks } from "./loop_blocks.ts";
import { table } from "./report.ts";
import type { Slope } from "./slope.ts";
import { spreadOf } from "./spread.ts";

/** What was seen. */
export interface LoadFigures {
  speed?: SpeedFigures | undefined;
  /** The same without Muster. */
  floor?: SpeedFigures | undefined;
  memory?: MemoryFigures | undefined;
  /** Bind calls that were held at once for the large gang, and how long it took until all of it was bound. */
  large?: { held: number; seconds: number } | undefined;
  churn?: ChurnFigures | undefined;
  /** Members of the queue that came without the scheduling gate. */
  ungated?: number;
  /** What the event loop of the relay was blocked for, by part. */
  blocks: Record<string, LoopBlocks>;
  /** Of the machine at the end. */
  load: number[];
}

/** The figures as markdown tables. */
export function loadTables(figures: LoadFigures): string {
  const { speed, floor, memory, large, churn, ungated, blocks, load } = figures;
  const rows = [
    ...(floor
      ? speedRows(floor).map(([what, figure]) => [`without Muster: ${what}`, figure!])
      : []),
    ...(speed ? speedRows(speed) : []),
    ...(ungated === undefined ? [] : [["queued members without the gate", String(ungated)]]),
    ...(memory ? memoryRows(memory) : []),
    ...(large
      ? [
        ["most calls held for the large gang", String(large.held)],
        ["s until it is bound", large.seconds.toFixed(1)],
      ]
      : []),
    ...(churn ? churnRows(churn) : []),
    ["load of the machine", load.map((value) => value.toFixed(1)).join(" ")],
  ];
  const blocked = Object.entries(blocks).map(([name, own]) => [
    name,
    own.longestWallMs.toFixed(0),
    own.longestOwnMs.toFixed(0),
    own.longestCpuMs.toFixed(0),
    [own.over50Wall, own.over50Own, own.over50Cpu].join(", "),
  ]);
  const heads = ["while", "longest block, ms", "without waiting for a CPU", "on the CPU"];
  return `${table(["what", "figure"], rows)}\n\n${
    table([...heads, "times over 50 ms of each"], blocked)
  }`;
}

function speedRows({ alone, beside, settled }: SpeedFigures): string[][] {
  const median = (speeds: Speed[], of: (speed: Speed) => number) =>
    spreadOf(speeds.map(of))!.median;
  const bothIn = (of: (speed: Speed) => number) =>
    `${median(alone, of).toFixed(1)}, ${median(beside, of).toFixed(1)}`;
  const ratio = spreadOf(
    beside.map(({ perSecond }, round) => perSecond / alone[round]!.perSecond),
  )!;
  const processes = Object.keys(beside[0]!.cpuMs);
  return [
    ["regular pods/s alone, beside the queue", bothIn(({ perSecond }) => perSecond)],
    [
      "the latter over the former, median of rounds (min to max)",
      `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)})`,
    ],
    ["CPU ms a regular pod alone, beside the queue", bothIn(cpuMsOf)],
    ...processes.map((name) => [`of that ${name}`, bothIn(({ cpuMs }) => cpuMs[name] ?? 0)]),
    ["CPU s a second for the queue alone", settled.standing.toFixed(2)],
    ["s until it took no more than that", settled.afterSeconds.toFixed(0)],
  ];
}

function memoryRows({ pods, mebibytes, last }: MemoryFigures): string[][] {
  const { median, min, max } = mebibytes;
  const [least, most] = [min.toFixed(0), max.toFixed(0)];
  return [
    [
      `MiB beside ${pods} pods that run, in a minute`,
      `${median.toFixed(0)} (${least} to ${most})`,
    ],
    ["MiB at the end of it", last.toFixed(0)],
  ];
}

function churnRows({ gangs, cuts, minutes, memory, heap, descriptors, samples }: ChurnFigures) {
  const slope = ({ slope, error }: Slope) => `${slope.toFixed(1)} ± ${error.toFixed(1)}`;
  return [
    ["minutes", String(minutes)],
    ["gangs that came and went", String(gangs)],
    ["cuts of every connection", String(cuts)],
    ["MiB an hour", slope(memory)],
    ["MiB in use by JavaScript an hour", slope(heap)],
    ["descriptors an hour", slope(descriptors)],
    ["MiB at the end", (samples.at(-1)?.mebibytes ?? NaN).toFixed(0)],
    ["descriptors at the end", String(samples.at(-1)?.descriptors)],
  ];
}
