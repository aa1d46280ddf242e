/**
 * The first document of the page: the gangs by phase, the queue, and the gangs that are not in it.
 *
 * @module
 */
import { html } from "hono/html";
import type { Phase } from "../shared/core/gang/phase.ts";
import type { Look } from "../shared/store/index_view.ts";
import type { ResourceSample } from "../shared/store/resource_history.ts";
import type { Html } from "./document.ts";
import { gangTable } from "./gang_table.ts";
import { phases, phaseShape } from "./phase_badge.ts";
import { resourceCharts } from "./resource_charts.ts";
import { clockText } from "./time_text.ts";

/** What was asked for. */
export interface OverviewQuery {
  readonly phase?: Phase | undefined;
  readonly from: number;
  readonly after: string;
  readonly limit: number;
}

/** The overview at a time in ms since the epoch. */
export function overview(
  look: Look & { resources: readonly ResourceSample[] },
  query: OverviewQuery & { now: number },
): Html {
  const total = Object.values(look.phases).reduce((sum, count) => sum + count, 0);
  return html`
    <div class="heading">
      <h1>Gangs</h1>
      <p class="asof">as of ${clockText(new Date(query.now).toISOString())}</p>
    </div>
    ${phaseTiles(look, query.phase)}
    ${query.phase === undefined ? resourceCharts(look.resources, query.now) : ""}
    ${total === 0
      ? noGangs()
      : query.phase === undefined
      ? unfiltered(look, query)
      : filtered(look, query)}
  `;
}

function phaseTiles({ phases: counts }: Look, chosen: Phase | undefined): Html {
  return html`
    <nav aria-label="Phases">
      <ul class="tiles">${phases.map(({ phase, means }) => {
        const isChosen = phase === chosen;
        return html`<li><a class="tile ${phase.toLowerCase()}" href="${
          isChosen ? "/page" : `/page?phase=${phase}`
        }"${
          isChosen
            ? html`
              aria-current="true"
            `
            : ""
        }><span class="phase">${phaseShape(phase)} ${phase}</span> <strong>${
          String(counts[phase] ?? 0)
        }</strong> <span class="means">${means}</span></a></li>`;
      })}</ul>
    </nav>
  `;
}

function noGangs(): Html {
  return html`
    <section class="notice">
      <h2>No gang yet</h2>
      <p>
        A gang is all pods of a namespace with the same pod-group label. As soon as a pod with one is created for
        Muster's scheduler, the gang is shown here: whether all of its members exist, what it waits for, and when it starts.
      </p>
    </section>
  `;
}

function unfiltered(look: Look, query: OverviewQuery & { now: number }): Html {
  const { from, limit, now } = query;
  const { queue, waiting } = look;
  const last = from + queue.length;
  return html`
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      ${queue.length === 0
        ? html`<p class="none">No gang waits${from > 0 ? " at these places" : ""}.</p>`
        : gangTable(queue, {
          caption: queue.length < waiting
            ? `Places ${from + 1} to ${last} of ${waiting}, the next gang first`
            : waiting === 1
            ? "One gang waits"
            : `${waiting} gangs wait, the next one first`,
          now,
        })}
      ${pager([
        from > 0 && ["Earlier places", link(query, { from: Math.max(0, from - limit) })],
        last < waiting && ["Later places", link(query, { from: last })],
      ])}
    </section>
    <section aria-labelledby="others">
      <h2 id="others">Started and ended</h2>
      ${others(look, query)}
    </section>
  `;
}

function filtered(look: Look, query: OverviewQuery & { now: number }): Html {
  return html`
    <section aria-labelledby="others">
      <h2 id="others">${query.phase}</h2>
      <p><a href="/page">All phases</a></p>
      ${others(look, query)}
    </section>
  `;
}

function others({ others, hasMore }: Look, query: OverviewQuery & { now: number }): Html {
  const last = others.at(-1);
  return html`${
    last === undefined ? html`<p class="none">None.</p>` : gangTable(others, {
      caption: "By namespace and name",
      now: query.now,
    })
  }${
    pager([
      query.after !== "" && ["First gangs", link(query, { after: "" })],
      hasMore && last !== undefined &&
      ["More gangs", link(query, { after: `${last.namespace}/${last.name}` })],
    ])
  }`;
}

function pager(links: readonly (false | [text: string, href: string])[]): Html | "" {
  const shown = links.filter((link) => link !== false);
  if (shown.length === 0) return "";
  return html`<p class="pager">${
    shown.map(([text, href]) =>
      html`
        <a href="${href}">${text}</a>
      `
    )
  }</p>`;
}

/** The overview, looked at in another place. */
function link(query: OverviewQuery, change: { from?: number; after?: string }): string {
  const { phase, from, after } = { ...query, ...change };
  const parameters = new URLSearchParams({
    ...(phase && { phase }),
    ...(from > 0 && { from: String(from) }),
    ...(after !== "" && { after }),
  });
  return parameters.size > 0 ? `/page?${parameters}` : "/page";
}
