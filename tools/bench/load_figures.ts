import { table } from "./report.ts";
import type { Slope } from "./slope.ts";

/** What was seen. */
export interface LoadFigures {
  /** Regular pods bound per second, without the gangs that queue and beside them. */
  alone: number;
  beside: number;
  /** Bind calls that were held at once for the large gang, and how long it took until all of it was bound. */
  held: number;
  largeSeconds: number;
  /** Gangs that came and went, and how often every connection to the API server was cut meanwhile. */
  churned: number;
  cuts: number;
  /** MiB and descriptors of the relay an hour, over the second half of that time. */
  memory: Slope;
  descriptors: Slope;
  /** MiB at the end. */
  mebibytes: number;
  /** What the event loop of the relay was blocked for: the longest by part, and how often for more than 50 ms. */
  longestMs: Record<string, number>;
  over50: Record<string, number>;
  /** Of the machine at the end. */
  load: number[];
}

/** The figures as markdown tables. */
export function loadTables(figures: LoadFigures): string {
  const { alone, beside, held, largeSeconds, churned, cuts, memory, descriptors } = figures;
  const slope = ({ slope, error }: Slope) => `${slope.toFixed(1)} ± ${error.toFixed(1)}`;
  const rows = [
    ["regular pods/s alone", alone.toFixed(1)],
    ["regular pods/s beside the queue", beside.toFixed(1)],
    ["the latter over the former", (beside / alone).toFixed(2)],
    ["most calls held for the large gang", String(held)],
    ["s until it is bound", largeSeconds.toFixed(1)],
    ["gangs that came and went", String(churned)],
    ["cuts of every connection", String(cuts)],
    ["MiB an hour", slope(memory)],
    ["descriptors an hour", slope(descriptors)],
    ["MiB at the end", figures.mebibytes.toFixed(0)],
    ["load of the machine", figures.load.map((load) => load.toFixed(1)).join(" ")],
  ];
  const gaps = Object.entries(figures.longestMs).map((
    [name, ms],
  ) => [name, ms.toFixed(0), String(figures.over50[name])]);
  return `${table(["what", "figure"], rows)}\n\n${
    table(["while", "event loop blocked, ms", "times over 50 ms"], gaps)
  }`;
}
