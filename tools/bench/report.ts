import type { Spread } from "./spread.ts";
import type { Summary } from "./summary.ts";
import type { TargetResult } from "./targets.ts";
import { works } from "./work.ts";

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

/** The goals as a table. */
export function targetTable(results: TargetResult[]): string {
  return table(
    ["system", "goal", "value", "met"],
    results.map(({ system, target, value, isMet }) => [
      system,
      target,
      value.toFixed(2),
      isMet ? "yes" : "no",
    ]),
  );
}

/** One table per work. */
export function summaryTables(summaries: Summary[]): string {
  const byWork = Map.groupBy(summaries, ({ work }) => work);
  return [...byWork].map(([work, rows]) =>
    `${work}: ${works[work]?.description}\n\n${workTable(rows)}`
  ).join("\n\n");
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
    "CPU ms a pod",
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
      byProcess(row.cpuSeconds),
      byProcess(row.cpuMsPerPod),
    ]),
  );
}

function byProcess(figures: Record<string, number>): string {
  return Object.entries(figures).map(([name, figure]) => `${name} ${figure.toFixed(1)}`).join(", ");
}

/** `median (min–max)`. */
function cell(spread: Spread | undefined, digits: number): string {
  if (spread === undefined) return "–";
  const [median, min, max] = [spread.median, spread.min, spread.max].map((value) =>
    value.toFixed(digits)
  );
  return `${median} (${min}–${max})`;
}
