import { type Figures, figuresOf } from "./figures.ts";
import type { RunRecord } from "./run_record.ts";
import { type Spread, spreadOf } from "./spread.ts";

/** The figures of all repetitions of a work on a system. */
export interface Summary {
  system: string;
  work: string;
  runs: number;
  /** Runs that were given up. */
  stuck: number;
  seconds?: Spread;
  podsPerSecond?: Spread;
  /** The most of any run. */
  partialGangs: number;
  /** The most of any run. */
  overtakenGangs: number;
  /** CPU seconds by process, medians. */
  cpuSeconds: Record<string, number>;
}

/** A summary per work and system, in the order in which they occur. */
export function summarize(runs: RunRecord[]): Summary[] {
  const byKey = Map.groupBy(runs, ({ work, system }) => `${work} ${system}`);
  return [...byKey.values()].map((same) => {
    const [{ system, work, cpuSeconds }] = same as [RunRecord];
    const figures = same.map(figuresOf);
    const seconds = spreadOf(defined(figures, "seconds"));
    const podsPerSecond = spreadOf(defined(figures, "podsPerSecond"));
    return {
      system,
      work,
      runs: same.length,
      stuck: same.filter(({ isStuck }) => isStuck).length,
      ...(seconds && { seconds }),
      ...(podsPerSecond && { podsPerSecond }),
      partialGangs: Math.max(...figures.map(({ partialGangs }) => partialGangs)),
      overtakenGangs: Math.max(...figures.map(({ overtakenGangs }) => overtakenGangs)),
      cpuSeconds: Object.fromEntries(
        Object.keys(cpuSeconds).map((name) => [
          name,
          spreadOf(same.map((run) => run.cpuSeconds[name] ?? 0))?.median ?? 0,
        ]),
      ),
    };
  });
}

function defined(figures: Figures[], name: "seconds" | "podsPerSecond"): number[] {
  return figures.map((figure) => figure[name]).filter((value) => value !== undefined);
}

/** A markdown table, its columns padded. */
export function table(header: string[], rows: string[][]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...all.map((row) => (row[column] ?? "").length))
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
    .join("\n");
}

/** One table per work. */
export function summaryTables(summaries: Summary[]): string {
  const byWork = Map.groupBy(summaries, ({ work }) => work);
  return [...byWork].map(([work, rows]) => `${work}\n\n${workTable(rows)}`).join("\n\n");
}

function workTable(rows: Summary[]): string {
  const header = [
    "system",
    "s until all bound",
    "pods/s",
    "stuck",
    "partial gangs",
    "overtaken gangs",
    "CPU s",
  ];
  return table(
    header,
    rows.map((row) => [
      row.system,
      cell(row.seconds, 2),
      cell(row.podsPerSecond, 0),
      `${row.stuck} of ${row.runs}`,
      String(row.partialGangs),
      String(row.overtakenGangs),
      Object.entries(row.cpuSeconds).map(([name, used]) => `${name} ${used.toFixed(1)}`).join(", "),
    ]),
  );
}

/** `median (min–max)`. */
function cell(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return "–";
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) =>
    value.toFixed(digits)
  );
  return `${median} (${min}–${max})`;
}
