/**
 * One gang: why it is where it is, its members, and its decisions as a timeline.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangDetail } from "../shared/contract/types.ts";
import { runTimeText, startText } from "../shared/core/words/start_text.ts";
import type { Html } from "./document.ts";
import { gangPlaces } from "./gang_places.ts";
import { gangLink, membersBar, namesOf } from "./gang_table.ts";
import { podTable } from "./pod_table.ts";
import { phaseBadge } from "./phase_badge.ts";
import { ageText, clockText, sinceText } from "./time_text.ts";

/** The story of a gang at a time in ms since the epoch. */
export function gangStory(gang: GangDetail, now: number): Html {
  const { namespace, name, phase, reason, since, message, help, decisions, ended, earlier } = gang;
  return html`
    <div class="heading">
      <p class="crumb"><a href="/page">Gangs</a></p>
      <h1><bdi class="namespace">${namespace}</bdi>/<wbr><bdi>${name}</bdi></h1>
      <p class="asof">as of ${clockText(new Date(now).toISOString())}</p>
    </div>
    ${ended === undefined ? "" : html`
      <section class="verdict" aria-label="How it ended">
        <p><span class="phase finished">Ended</span> ${sinceText(ended.at, now)} ago</p>
        <p class="message"><bdi>${ended.message}</bdi></p>
        <p class="note">What follows is the last that was known of it.</p>
      </section>
    `}
    <section class="verdict" aria-label="Why it ${ended ? "was where it was" : "is where it is"}">
      <p>${phaseBadge(phase)} <span class="reason">${reason}</span> ${since === undefined
        ? ""
        : html`for ${ageText((ended ? Date.parse(ended.at) : now) - Date.parse(since))}`}</p>
      <p class="message"><bdi>${message}</bdi></p>
      ${help === undefined ? "" : html`<p class="help"><strong>What helps:</strong> ${help}</p>`}
    </section>
    <section aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">${facts(gang, now).map(([term, value]) =>
        html`
          <div>
            <dt>${term}</dt>
            <dd>${value}</dd>
          </div>
        `
      )}</dl>
    </section>
    ${gangPlaces(gang)}
    ${podTable(gang)}
    ${earlier === undefined ? "" : html`
      <section aria-labelledby="earlier">
        <h2 id="earlier">Before</h2>
        <p class="note">Gangs of the same name that are gone, the newest first.</p>
        <ul class="plain">${earlier.map(({ at, message }) =>
          html`<li><span class="ago">${sinceText(at, now)} ago</span> <bdi>${message}</bdi></li>`
        )}</ul>
      </section>
    `}
    <section aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      ${decisions.length === 0
        ? html`<p class="none">None is remembered.</p>`
        : html`<p class="note">The newest first; each differs from the one before it.</p>
<ol class="timeline">${decisions.map((decision) => decisionItem(decision, now))}</ol>`}
    </section>
  `;
}

function facts(gang: GangDetail, now: number): [term: string, value: Html | string][] {
  const { spec, deadline, failedAt, place, ahead = [] } = gang;
  const { estimate, runTime, startedAt, endedAt } = gang;
  const all: [term: string, value: Html | string | undefined][] = [
    ["Members", html`${membersBar(gang)} <span class="classes">${classesText(gang)}</span>`],
    [
      "Place in the queue",
      place === undefined ? undefined : html`${String(place)}${aheadText(place, ahead)}`,
    ],
    ["Starts", estimate && startText(estimate)],
    ["Runs", runTime && runTimeText(runTime)],
    ["Started", startedAt && html`${sinceText(startedAt, now)} ago`],
    ["Ended", endedAt && html`${sinceText(endedAt, now)} ago`],
    ["Deadline", deadline && html`${clockText(deadline)} (${untilText(deadline, now)})`],
    ["Last failure", failedAt && html`${sinceText(failedAt, now)} ago`],
    ["Queue", spec.queue],
    ["Priority", String(spec.priority ?? 0)],
    ["Created", html`${sinceText(spec.createdAt, now)} ago`],
    ["Mode", spec.mode],
    ["In all", spec.totalMember?.toString()],
    [
      "Gang group",
      spec.groups &&
      html`<ul>${spec.groups.map((id) => html`<li>${gangLink(namesOf(id))}</li>`)}</ul>`,
    ],
  ];
  return all.filter((fact): fact is [string, Html | string] => fact[1] !== undefined);
}

function classesText({ members }: GangDetail): string {
  const { running, ...classes } = members;
  const counts = Object.entries(classes).filter(([, count = 0]) => count > 0)
    .map(([name, count]) =>
      name === "bound" ? `${count} bound, ${running} running` : `${count} ${name}`
    );
  return counts.join(", ") || "no pods";
}

function aheadText(place: number, ahead: readonly string[]): Html {
  if (place === 1) return html`: nobody is ahead`;
  const more = place - 1 - ahead.length;
  return html`, behind <ul>${ahead.map((id) => html`<li>${gangLink(namesOf(id))}</li>`)}${
    more > 0 ? html`<li>and ${String(more)} more</li>` : ""
  }</ul>`;
}

function untilText(time: string, now: number): string {
  const left = Date.parse(time) - now;
  return left < 0 ? "over" : `in ${ageText(left)}`;
}

const marks: Readonly<Record<string, string>> = { allow: "✓", wait: "…", reject: "✕" };

function decisionItem(
  { at, stage, verdict, reason, message }: GangDetail["decisions"][number],
  now: number,
): Html {
  return html`
    <li id="decision/${at}/${stage}" class="${verdict}">
      <span class="mark" aria-hidden="true">${marks[verdict] ?? "•"}</span>
      <p class="when">${clockText(at)} <span class="ago">${ageText(
        now - Date.parse(at),
      )} ago</span></p>
      <p
        class="what"><strong>${verdict}</strong> by ${stage} <span class="reason">${reason}</span></p>
      <p class="message"><bdi>${message}</bdi></p>
    </li>
  `;
}
