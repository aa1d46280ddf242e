/**
 * Resources over the last hour: what runs, what is held for gangs that assemble, and what is free.
 *
 * @module
 */
import { html } from "hono/html";
import type { ResourceAmounts } from "../shared/core/gang/facts.ts";
import type { ResourceSample } from "../shared/store/resource_history.ts";
import { amountText } from "./amount_text.ts";
import type { Html } from "./document.ts";
import { ageText, clockOf, clockText } from "./time_text.ts";

const width = 300;
const height = 72;
/** A chart shows no shorter time, however new the cluster is. */
const shortestMs = 5 * 60_000;
const longestMs = 60 * 60_000;
/** What gangs are short of comes first: extended resources, then the common ones. */
const mostCharts = 6;
const common = ["cpu", "memory"];
const seldomShort = /^(ephemeral-storage|hugepages-.*)$/;

/** A chart for each resource of the last sample; nothing where none was ever told. */
export function resourceCharts(samples: readonly ResourceSample[], now: number): Html | "" {
  const last = samples.at(-1);
  if (!last) return "";
  const names = last.amounts.map(({ name }) => name).filter((name) => !seldomShort.test(name))
    .sort((a, b) => common.indexOf(a) - common.indexOf(b) || (a < b ? -1 : 1))
    .slice(0, mostCharts);
  const first = Math.max(now - longestMs, Math.min(samples[0]!.at, now - shortestMs));
  return html`
    <section aria-labelledby="resources">
      <h2 id="resources">Resources</h2>
      <p class="note">
        The last ${ageText(now - first)}, told at ${clockText(
          new Date(last.at).toISOString(),
        )}. Held
        is what members take that wait for the rest of their gang.
        <a href="/page/nodes">Nodes, and who has them</a>
      </p>
      <ul class="charts">${names.map((name, index) =>
        chart(name, { samples, first, now, id: `held-${index}` })
      )}</ul>
    </section>
  `;
}

function chart(
  name: string,
  { samples, first, now, id }: {
    samples: readonly ResourceSample[];
    first: number;
    now: number;
    id: string;
  },
): Html {
  const none = { name, allocatable: 0, bound: 0, held: 0 };
  const series = samples.map(({ at, amounts }) => ({
    at: Math.max(at, first),
    ...(amounts.find((amount) => amount.name === name) ?? none),
  }));
  const amountsAt = series.map(({ allocatable, bound, held }) =>
    Math.max(allocatable, bound + held)
  );
  const most = Math.max(...amountsAt) || 1;
  const path = (value: (amounts: ResourceAmounts) => number) =>
    steps(series.map((point) => [
      (point.at - first) / (now - first) * width,
      height - value(point) / most * height,
    ]));
  const taken = path(({ bound, held }) => bound + held);
  const bound = path(({ bound }) => bound);
  const amounts = series.at(-1)!;
  const text = (amount: number) => amountText(name, amount);
  return html`
    <li class="chart">
      <h3><bdi>${name}</bdi> <span class="means">of ${text(amounts.allocatable)}</span></h3>
      <div class="plot">
        <p class="axis" aria-hidden="true"><span>${text(most)}</span><span>0</span></p>
        <svg
          viewBox="0 0 ${String(width)} ${String(height)}"
          preserveAspectRatio="none"
          role="img"
          aria-label="${rangeText(name, series)}"
        >
        <pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)">
          <rect class="held" width="6" height="6" />
          <rect class="stripe" width="2" height="6" />
        </pattern>
        <path class="free" d="${closed(path(({ allocatable }) => allocatable))}" />
        <path fill="url(#${id})" d="${closed(taken)}" />
        <path class="bound" d="${closed(bound)}" />
        <path class="grid" d="${grid}" />
        ${moments(series, { first, now, text })}
      </svg>
        <p class="axis times" aria-hidden="true"><span>${ageText(
          now - first,
        )} ago</span><span>now</span></p>
      </div>
      ${legend(amounts, text)}
    </li>
  `;
}

function legend(
  { allocatable, bound, held }: ResourceAmounts,
  text: (amount: number) => string,
): Html {
  const free = Math.max(0, allocatable - bound - held);
  const rows = [["bound", "running", bound], ["held", "held", held], [
    "free",
    "free",
    free,
  ]] as const;
  return html`
    <dl class="legend">${rows.map(([key, word, amount]) =>
      html`
        <div>
          <dt><span class="key ${key}"></span>${word}</dt>
          <dd>${text(amount)}</dd>
        </div>
      `
    )}</dl>
  `;
}

/** Half of the amount, and quarters of the time. */
const grid = [
  `M0 ${height / 2}H${width}`,
  ...[1, 2, 3].map((quarter) => `M${width * quarter / 4} 0V${height}`),
].join("");

/** For whoever points at the chart: what was so, from when to when. */
function moments(
  series: readonly (ResourceAmounts & { readonly at: number })[],
  { first, now, text }: { first: number; now: number; text: (amount: number) => string },
): Html[] {
  const said = series.map(({ at, allocatable, bound, held }) => {
    const free = Math.max(0, allocatable - bound - held);
    return { at, amounts: `running ${text(bound)}, held ${text(held)}, free ${text(free)}` };
  });
  const news = said.filter(({ amounts }, index) => amounts !== said[index - 1]?.amounts);
  const xOf = (at: number) => (at - first) / (now - first) * width;
  return news.map(({ at, amounts }, index) => {
    const end = news[index + 1]?.at ?? now;
    return html`
      <rect class="moment" x="${xOf(at).toFixed(1)}" width="${(xOf(end) - xOf(at)).toFixed(
        1,
      )}" height="${String(height)}">
        <title>${clockOf(at)} to ${clockOf(end)} UTC: ${amounts}</title>
      </rect>
    `;
  });
}

/** A line that stays as it is until the next point, up to the right edge. */
function steps(points: readonly (readonly [x: number, y: number])[]): string {
  const [start, ...rest] = points.map(([x, y]) => [x.toFixed(1), y.toFixed(1)] as const);
  return `M${start![0]} ${start![1]}${rest.map(([x, y]) => `H${x}V${y}`).join("")}H${width}`;
}

/** The area between such a line and the bottom. */
function closed(line: string): string {
  return `${line}V${height}H${/^M([\d.]+)/.exec(line)![1]}Z`;
}

/** What the picture shows, for whoever does not see it. */
function rangeText(name: string, series: readonly ResourceAmounts[]): string {
  const range = (value: (amounts: ResourceAmounts) => number) => {
    const values = series.map(value);
    const [least, most] = [Math.min(...values), Math.max(...values)]
      .map((amount) => amountText(name, amount));
    return least === most ? least : `${least} to ${most}`;
  };
  return `${name}: running ${range(({ bound }) => bound)}, held ${range(({ held }) => held)}, of ${
    range(({ allocatable }) => allocatable)
  }`;
}
