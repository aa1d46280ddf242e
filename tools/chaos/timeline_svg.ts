import { describeDeed, linkNames, partNames } from "./actions.ts";
import type { ChaosReport, Fault } from "./report.ts";

const WIDTH = 1200;
const LEFT = 190;
const LANE = 14;
const TOP = 40;
const AREA = 140;
const COLORS = {
  kill: "#b3261e",
  restart: "#7b4fa3",
  stop: "#e08e2b",
  cut: "#b3261e",
  silence: "#555b61",
  delay: "#e0c22b",
  other: "#2b6cb0",
  whole: "#3a7d44",
  partial: "#e08e2b",
  waiting: "#c9ced3",
};

/** Draws what was done, a lane for each part and link, over the gangs that wait, are bound in part, and run. */
export function chaosSvg(report: ChaosReport): string {
  const lanes = [...partNames, ...linkNames, "clock, disk, store", "nodes, pods, gangs"];
  const scale = (WIDTH - LEFT - 10) / Math.max(1, report.endedAt);
  const bottom = TOP + lanes.length * LANE + 10;
  const height = bottom + AREA + 30;
  const rested = LEFT + report.restedAt * scale;
  const parts = [
    ...legend(),
    ...lanes.map((lane, row) => text(lane, 8, TOP + row * LANE + 10)),
    ...report.faults.map((fault) =>
      mark(fault, {
        x: LEFT + fault.from * scale,
        y: TOP + lanes.indexOf(laneOf(fault)) * LANE,
        scale,
      })
    ),
    text("gangs", 8, bottom + 12),
    ...areas(report, { bottom, scale }),
    `<path d="M${short(rested)} ${TOP}V${bottom + AREA}" stroke="#1b1f23" stroke-dasharray="3"/>`,
    text(
      `at rest after ${Math.round(report.restedAt / 1000)} s`,
      Math.min(rested, WIDTH - 130),
      height - 8,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="10">\n<rect width="100%" height="100%" fill="#fff"/>\n${
      parts.join("\n")
    }\n</svg>\n`;
}

function laneOf({ deed }: Fault): string {
  if (deed.do === "step clock" || deed.do === "fill disk" || deed.do === "lose store") {
    return "clock, disk, store";
  }
  if ("part" in deed) return deed.part;
  return "link" in deed ? deed.link : "nodes, pods, gangs";
}

function mark(fault: Fault, { x, y, scale }: { x: number; y: number; scale: number }): string {
  const { deed, from, to } = fault;
  const color = deed.do in COLORS ? COLORS[deed.do as keyof typeof COLORS] : COLORS.other;
  const width = "ms" in deed ? Math.max(2, (to - from) * scale) : 2;
  return `<rect x="${short(x)}" y="${y + 2}" width="${short(width)}" height="${LANE - 4}" ` +
    `fill="${color}"><title>${describeDeed(deed)}</title></rect>`;
}

/** Running gangs at the bottom, those that are bound in part on them, and those that wait on top. */
function areas(
  { samples }: ChaosReport,
  { bottom, scale }: { bottom: number; scale: number },
): string[] {
  const most = Math.max(
    1,
    ...samples.map(({ waiting, partial, whole }) => waiting + partial + whole),
  );
  const base = bottom + AREA;
  const area = (color: string, heightOf: (sample: typeof samples[number]) => number) => {
    const steps = samples.map((sample) =>
      `L${short(LEFT + sample.at * scale)} ${short(base - heightOf(sample) * AREA / most)}`
    );
    const end = LEFT + (samples.at(-1)?.at ?? 0) * scale;
    return `<path fill="${color}" d="M${LEFT} ${base}${steps.join("")}L${short(end)} ${base}z"/>`;
  };
  return [
    area(COLORS.waiting, ({ waiting, partial, whole }) => waiting + partial + whole),
    area(COLORS.partial, ({ partial, whole }) => partial + whole),
    area(COLORS.whole, ({ whole }) => whole),
    text(`at most ${most}`, 8, bottom + 26),
  ];
}

function legend(): string[] {
  const kinds = Object.entries(COLORS);
  return kinds.flatMap(([kind, color], index) => [
    `<rect x="${LEFT + index * 95}" y="8" width="10" height="10" fill="${color}"/>`,
    text(kind, LEFT + index * 95 + 14, 17),
  ]);
}

function text(content: string, x: number, y: number): string {
  return `<text x="${short(x)}" y="${y}">${content}</text>`;
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}
