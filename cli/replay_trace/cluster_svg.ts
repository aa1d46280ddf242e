/**
 * A cluster over time: GPUs that run something, and GPUs that waiting jobs ask for, a panel for each rule.
 *
 * @module
 */
import type { Ran } from "./replay_jobs.ts";

const size = { width: 900, height: 110, left: 120, top: 40, gap: 34 };
const steps = 450;
const colours = { running: "#3a7d44", idle: "#e4e6e8", waiting: "#b3541e" };
const dayMs = 86_400_000;

/** What ran under each rule, by its name, on so many GPUs. */
export function clusterSvg(
  byRule: ReadonlyMap<string, readonly Ran[]>,
  { gpus }: { gpus: number },
): string {
  const all = [...byRule.values()].flat();
  const until = all.reduce(
    (last, { job, startedAt }) => Math.max(last, startedAt + job.duration),
    1,
  );
  const waiting = new Map([...byRule].map(([rule, ran]) => [
    rule,
    overTime(ran, { until, from: ({ job }) => job.submittedAt, to: ({ startedAt }) => startedAt }),
  ]));
  const most = Math.max(1, ...[...waiting.values()].flat());
  const panels = [...byRule].map(([rule, ran], index) => {
    const running = overTime(ran, {
      until,
      from: ({ startedAt }) => startedAt,
      to: ({ job, startedAt }) => startedAt + job.duration,
    });
    return panel(rule, { index, gpus, most, running, waiting: waiting.get(rule)! });
  });
  const width = size.left + size.width + 10;
  const height = size.top + byRule.size * (size.height + size.gap);
  const days = (until / dayMs).toFixed(0);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
    `font-family="sans-serif" font-size="12" role="img">\n` +
    `<title>${gpus} GPUs over ${days} days</title>\n${
      [...legend(most), ...panels].join("\n")
    }\n</svg>\n`;
}

/** GPUs at each step: the mean over it. */
function overTime(
  ran: readonly Ran[],
  { until, from, to }: { until: number; from: (ran: Ran) => number; to: (ran: Ran) => number },
): number[] {
  const sums = new Array<number>(steps).fill(0);
  const step = until / steps;
  for (const one of ran) {
    const [begin, end] = [from(one), to(one)];
    for (let at = Math.floor(begin / step); at < steps && at * step < end; at++) {
      const share = (Math.min(end, (at + 1) * step) - Math.max(begin, at * step)) / step;
      sums[at]! += share * one.job.members * one.job.gpus;
    }
  }
  return sums;
}

function panel(
  rule: string,
  { index, gpus, most, running, waiting }: {
    index: number;
    gpus: number;
    most: number;
    running: readonly number[];
    waiting: readonly number[];
  },
): string {
  const y = size.top + index * (size.height + size.gap);
  const wide = size.width / steps;
  const high = (value: number, of: number) => short(size.height * (1 - Math.min(1, value / of)));
  const area = running.map((value) => `V${high(value, gpus)}h${wide}`).join("");
  const line = waiting.map((value, at) =>
    `${at ? "L" : "M"}${short(at * wide)} ${high(value, most)}`
  )
    .join("");
  return `<text x="8" y="${y + size.height / 2}">${rule}</text>` +
    `<g transform="translate(${size.left} ${y})">` +
    `<rect width="${size.width}" height="${size.height}" fill="${colours.idle}"/>` +
    `<path fill="${colours.running}" d="M0 ${size.height}${area}V${size.height}z"/>` +
    `<path fill="none" stroke="${colours.waiting}" stroke-width="1.5" d="${line}"/></g>`;
}

function legend(most: number): string[] {
  const entries = [
    ["running", "GPUs that run something"],
    ["idle", "idle"],
    ["waiting", `GPUs that waiting jobs ask for (${Math.round(most)} at the top)`],
  ] as const;
  return entries.map(([kind, label], index) =>
    `<rect x="${size.left + index * 230}" y="8" width="12" height="12" fill="${colours[kind]}"/>` +
    `<text x="${size.left + index * 230 + 18}" y="18">${label}</text>`
  );
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
