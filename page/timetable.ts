/**
 * What runs and what is planned, over time: a table, in which each row has its bar on one axis.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangSummary } from "../shared/contract/types.ts";
import { expectedEnd, minuteText, runTimeText } from "../shared/core/words/start_text.ts";
import type { Look } from "../shared/store/index_view.ts";
import type { Html } from "./document.ts";
import { gangLink } from "./gang_table.ts";
import { ageText } from "./time_text.ts";

/** As many as are read at a glance. */
const mostRows = 40;
const width = 240;
const height = 14;
/** The axis shows no shorter time after now, in ms. */
const shortestMs = 10 * 60_000;

/** A gang on the axis, in ms since the epoch. */
interface Bar {
  readonly gang: GangSummary;
  readonly startsAt: number;
  /** Undefined: nobody knows. */
  readonly endsAt: number | undefined;
  readonly runs: boolean;
}

/** A row for each gang that runs and each that has been told its start, the first to start first; nothing where there is none of these. */
export function timetable(
  { timed, timedCount }: Pick<Look, "timed" | "timedCount">,
  now: number,
): Html | "" {
  const bars = timed.map(barOf);
  if (!bars.some(({ runs }) => !runs) && !bars.some(({ endsAt }) => endsAt !== undefined)) {
    return "";
  }
  const shown = bars.slice(0, mostRows);
  const last = Math.max(
    now + shortestMs,
    ...shown.map(({ endsAt, startsAt }) => endsAt ?? startsAt),
  );
  const first = Math.max(2 * now - last, Math.min(now, ...shown.map(({ startsAt }) => startsAt)));
  const titles = ["Gang", "State", "From", "Until", "Known from"];
  return html`
    <section aria-labelledby="timetable">
      <h2 id="timetable">Timetable</h2>
      <p class="note">
        What runs, and what has been told its start; the line is now. Times are expected ones, in UTC.
      </p>
      <table role="table" class="gangs timetable">
        <caption>${timedCount > mostRows
          ? `The first ${mostRows} of ${timedCount}, in the order of their starts`
          : "In the order of their starts"}</caption>
        <thead role="rowgroup">
          <tr
            role="row">${titles.map((title) =>
              html`<th role="columnheader" scope="col">${title}</th>`
            )}<td role="cell" class="axis"><span>${ageText(
              now - first,
            )} ago</span> <span>in ${ageText(
              last - now,
            )}</span></td></tr>
        </thead>
        <tbody role="rowgroup">${shown.map((bar) => row(bar, { first, last, now }))}</tbody>
      </table>
    </section>
  `;
}

function barOf(gang: GangSummary): Bar {
  const { startedAt, estimate, runTime } = gang;
  const startsAt = Date.parse(startedAt ?? estimate!.startsAt);
  const endsAt = expectedEnd(startsAt, runTime);
  return { gang, startsAt, endsAt, runs: startedAt !== undefined };
}

function row(
  { gang, startsAt, endsAt, runs }: Bar,
  { first, last, now }: { first: number; last: number; now: number },
): Html {
  const { namespace, name, runTime, estimate } = gang;
  const isOver = runs && endsAt !== undefined && endsAt < now;
  const state = runs ? (isOver ? "runs for longer than expected" : "runs") : "planned";
  const end = endsAt === undefined ? last : isOver ? now : endsAt;
  const after = estimate?.after === undefined || runs ? "" : `, after ${estimate.after}`;
  const xOf = (at: number) =>
    Math.min(width, Math.max(0, (at - first) / (last - first) * width)).toFixed(1);
  const x = xOf(startsAt);
  return html`
    <tr role="row" id="time/${namespace}/${name}">
      <td role="cell" class="gang">${gangLink(gang)}</td>
      <td role="cell">${state}</td>
      <td role="cell">${timeOf(startsAt)}<bdi>${after}</bdi></td>
      <td role="cell">${endsAt === undefined ? "not known" : timeOf(endsAt)}</td>
      <td role="cell">${runTime === undefined ? "" : runTimeText(runTime)}</td>
      <td role="cell" class="axis">
        <svg
          viewBox="0 0 ${String(width)} ${String(height)}" aria-hidden="true">
          <rect class="free" width="${String(width)}" height="${String(height)}" />
          <rect class="${runs ? "bound" : "held"}" x="${x}" width="${Math.max(
            2,
            Number(xOf(end)) - Number(x),
          ).toFixed(1)}" height="${String(height)}" />
          <path class="now" d="M${xOf(now)} 0V${String(height)}" />
        </svg>
      </td>
    </tr>
  `;
}

function timeOf(at: number): Html {
  const time = new Date(at).toISOString();
  return html`<time datetime="${time}" title="${time}">${minuteText(time)}</time>`;
}
