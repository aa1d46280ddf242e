/**
 * One gang: why it is where it is, its members, and its decisions as a timeline.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangDetail } from "../shared/contract/types.ts";
import type { Html } from "./document.ts";
import { gangLink, membersBar } from "./gang_table.ts";
import { phaseBadge } from "./phase_badge.ts";
import { ageText, clockText, sinceText } from "./time_text.ts";

/** The story of a gang at a time in ms since the epoch. */
export function gangStory(gang: GangDetail, now: number): Html {
  const { namespace, name, phase, reason, since, message, help, decisions } = gang;
  return html`
    <div class="heading">
      <p class="crumb"><a href="/page">Gangs</a></p>
      <h1><bdi class="namespace">${namespace}</bdi>/<wbr><bdi>${name}</bdi></h1>
      <p class="asof">as of ${clockText(new Date(now).toISOString())}</p>
    </div>
    <section class="verdict" aria-label="Why it is where it is">
      <p>${phaseBadge(phase)} <span class="reason">${reason}</span> ${since === undefined
        ? ""
        : html`for ${sinceText(since, now)}`}</p>
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
  const all: [term: string, value: Html | string | undefined][] = [
    ["Members", html`${membersBar(gang)} <span class="classes">${classesText(gang)}</span>`],
    [
      "Place in the queue",
      place === undefined ? undefined : html`${String(place)}${aheadText(place, ahead)}`,
    ],
    ["Deadline", deadline && html`${clockText(deadline)} (${untilText(deadline, now)})`],
    ["Last failure", failedAt && html`${sinceText(failedAt, now)} ago`],
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

/** A namespace has no slash. */
function namesOf(id: string): { namespace: string; name: string } {
  const slash = id.indexOf("/");
  return { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
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
