import type { RunRecord } from "./run_record.ts";
import { timelineOf, type TimelinePoint } from "./timeline.ts";

const WIDTH = 320;
const HEIGHT = 80;
const GAP = 24;
const LEFT = 84;
const TOP = 56;
const COLORS = { running: "#3a7d44", held: "#e08e2b", idle: "#e4e6e8" };

/**
 * Draws GPUs over time, a row per system and a column per work. A column's time ends with its longest run that was not
 * given up.
 */
export function timelineSvg(runs: RunRecord[]): string {
  const works = [...new Set(runs.map(({ work }) => work))];
  const systems = [...new Set(runs.map(({ system }) => system))];
  const width = LEFT + works.length * (WIDTH + GAP);
  const height = TOP + systems.length * (HEIGHT + GAP);
  const parts = [
    ...legend(),
    ...works.map((work, column) => text(work, { x: leftOf(column), y: TOP - 8 })),
    ...systems.map((system, row) => text(system, { x: 8, y: topOf(row) + HEIGHT / 2 })),
    ...works.flatMap((work, column) => {
      const ofWork = runs.filter((run) => run.work === work);
      const until = untilOf(ofWork);
      return ofWork.map((run) =>
        panel(run, { x: leftOf(column), y: topOf(systems.indexOf(run.system)), until })
      );
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
    `font-family="sans-serif" font-size="12">\n${parts.join("\n")}\n</svg>\n`;
}

function leftOf(column: number): number {
  return LEFT + column * (WIDTH + GAP);
}

function topOf(row: number): number {
  return TOP + row * (HEIGHT + GAP);
}

function untilOf(runs: RunRecord[]): number {
  const done = runs.filter(({ isStuck }) => !isStuck);
  return Math.max(...(done.length > 0 ? done : runs).map(({ endedAt }) => endedAt));
}

function panel(run: RunRecord, { x, y, until }: { x: number; y: number; until: number }): string {
  const points = timelineOf(run, { until, count: WIDTH });
  const scale = HEIGHT / run.gpus;
  const title = `${run.system}, ${run.work}: ${run.gpus} GPUs, ${(until / 1000).toFixed(1)} s`;
  const caption = `0 to ${(until / 1000).toFixed(1)} s${run.isStuck ? ", given up" : ""}`;
  return `<g transform="translate(${x} ${y})"><title>${title}</title>` +
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${COLORS.idle}"/>` +
    area(points, { color: COLORS.held, heightOf: (at) => (at.running + at.held) * scale }) +
    area(points, { color: COLORS.running, heightOf: (at) => at.running * scale }) +
    `<text x="${WIDTH}" y="${HEIGHT + 12}" text-anchor="end" font-size="10">${caption}</text></g>`;
}

function area(
  points: TimelinePoint[],
  { color, heightOf }: { color: string; heightOf: (point: TimelinePoint) => number },
): string {
  const steps = points.map((point) => `V${short(HEIGHT - heightOf(point))}h1`);
  return `<path fill="${color}" d="M0 ${HEIGHT}${steps.join("")}V${HEIGHT}z"/>`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function legend(): string[] {
  const entries = [
    ["running", "running: members of whole gangs"],
    ["held", "held: members of gangs that are not whole"],
    ["idle", "idle"],
  ] as const;
  return entries.flatMap(([kind, label], index) => [
    `<rect x="${LEFT + index * 260}" y="8" width="12" height="12" fill="${COLORS[kind]}"/>`,
    text(label, { x: LEFT + index * 260 + 18, y: 18 }),
  ]);
}

function text(content: string, { x, y }: { x: number; y: number }): string {
  return `<text x="${x}" y="${y}">${content}</text>`;
}
