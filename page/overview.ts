/**
 * The first document of the page: the gangs by phase, the queue, and the gangs that are not in it.
 *
 * @module
 */
import { html } from "hono/html";
import type { Phase } from "../shared/core/gang/phase.ts";
import type { EndedSummary } from "../shared/store/index_object.ts";
import type { Look } from "../shared/store/index_view.ts";
import type { ResourceSample } from "../shared/store/resource_history.ts";
import type { Html } from "./document.ts";
import { endedTable, gangTable } from "./gang_table.ts";
import { phases, phaseShape } from "./phase_badge.ts";
import { resourceCharts } from "./resource_charts.ts";
import { clockText } from "./time_text.ts";
import { timetable } from "./timetable.ts";

/** More gangs that are gone are not looked through without a search. */
const shownEnded = 20;

/** What was asked for. */
export interface OverviewQuery {
  readonly phase?: Phase | undefined;
  /** Empty: of all. */
  readonly namespace: string;
  readonly search: string;
  readonly from: number;
  readonly after: string;
  readonly limit: number;
}

/** The overview at a time in ms since the epoch. */
export function overview(
  look: Look & { resources: readonly ResourceSample[]; ended: readonly EndedSummary[] },
  query: OverviewQuery & { now: number },
): Html {
  const isWhole = query.phase === undefined && !isFilter(query);
  const isEmpty = look.namespaces.length === 0 && look.ended.length === 0;
  return html`
    <div class="heading">
      <h1>Gangs</h1>
      <p class="asof">as of ${clockText(new Date(query.now).toISOString())}</p>
    </div>
    ${phaseTiles(look, query)}
    ${isWhole ? resourceCharts(look.resources, query.now) : ""}
    ${isWhole ? timetable(look, query.now) : ""}
    ${isWhole && isEmpty ? noGangs() : html`
      ${filterForm(look, query)}
      ${query.phase === undefined ? ofAllPhases(look, query) : ofOnePhase(look, query)}
    `}
  `;
}

function isFilter({ namespace, search }: OverviewQuery): boolean {
  return namespace !== "" || search !== "";
}

function phaseTiles({ phases: counts }: Look, query: OverviewQuery): Html {
  return html`
    <nav aria-label="Phases">
      <ul class="tiles">${phases.map(({ phase, means }) => {
        const isChosen = phase === query.phase;
        return html`<li><a class="tile ${phase.toLowerCase()}" href="${
          link(query, { from: 0, after: "", phase: isChosen ? undefined : phase })
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

/** A search without JavaScript: the address says what is shown. */
function filterForm({ namespaces }: Look, query: OverviewQuery): Html {
  const { phase, namespace, search } = query;
  const known = namespaces.includes(namespace) || namespace === ""
    ? namespaces
    : [namespace, ...namespaces];
  return html`
    <form class="filter" method="get" action="/page" role="search" aria-label="Gangs">
      ${phase === undefined ? "" : html`<input type="hidden" name="phase" value="${phase}">`}
      <label>Namespace
        <select name="namespace">
          <option value="">all</option>
          ${known.map((name) =>
            html`
              <option value="${name}" ${name === namespace
                ? html`
                  selected
                `
                : ""}>${name}</option>
            `
          )}
        </select></label>
      <label>Name <input type="search" name="search" value="${search}" maxlength="317"></label>
      <button>Show</button>
      ${isFilter(query)
        ? html`<a href="${
          link(query, { namespace: "", search: "", from: 0, after: "" })
        }">All gangs</a>`
        : ""}
    </form>
  `;
}

function ofAllPhases(
  look: Look & { ended: readonly EndedSummary[] },
  query: OverviewQuery & { now: number },
): Html {
  const { from, limit, now } = query;
  const { queue, waiting, ended } = look;
  const last = from + queue.length;
  return html`
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      ${queue.length === 0
        ? html`<p class="none">No gang waits${from > 0 ? " at these places" : ""}.</p>`
        : gangTable(queue, {
          caption: isFilter(query)
            ? `${waiting} of the gangs that wait, with their places among all`
            : queue.length < waiting
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
      <h2 id="others">Not in the queue</h2>
      ${others(look, query)}
    </section>
    ${ended.length === 0 ? "" : html`
      <section aria-labelledby="ended">
        <h2 id="ended">Ended</h2>
        ${endedTable(ended.slice(0, shownEnded), {
          caption: ended.length > shownEnded
            ? `The last ${shownEnded} that are gone, the newest first: those before them are found by name`
            : "Gangs that are gone, the newest first",
          now,
        })}
      </section>
    `}
  `;
}

function ofOnePhase(look: Look, query: OverviewQuery & { now: number }): Html {
  return html`
    <section aria-labelledby="others">
      <h2 id="others">${query.phase}</h2>
      <p><a href="${link(query, { phase: undefined, from: 0, after: "" })}">All phases</a></p>
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
function link(query: OverviewQuery, change: Partial<OverviewQuery>): string {
  const { phase, namespace, search, from, after } = { ...query, ...change };
  const parameters = new URLSearchParams({
    ...(phase && { phase }),
    ...(namespace !== "" && { namespace }),
    ...(search !== "" && { search }),
    ...(from > 0 && { from: String(from) }),
    ...(after !== "" && { after }),
  });
  return parameters.size > 0 ? `/page?${parameters}` : "/page";
}
