/**
 * Gangs as rows of a table.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangSummary } from "../shared/contract/types.ts";
import type { EndedSummary } from "../shared/store/index_object.ts";
import type { GangRow } from "../shared/store/index_view.ts";
import type { Html } from "./document.ts";
import { phaseBadge } from "./phase_badge.ts";
import { sinceText } from "./time_text.ts";

/** A table of gangs; a column of places where they have some. Roles are said, for a narrow screen shows the rows as blocks. */
export function gangTable(
  rows: readonly GangRow[],
  { caption, now }: { caption: string; now: number },
): Html {
  const isQueue = rows.some(({ place }) => place !== undefined);
  const titles = [
    ...(isQueue ? ["Place"] : []),
    "Gang",
    "Phase",
    "Placed",
    ...(isQueue ? ["Priority"] : []),
    "Since",
    isQueue ? "Waits for" : "Why",
  ];
  return html`
    <table role="table" class="${isQueue ? "gangs queue" : "gangs"}">
      <caption>${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">${titles.map((title) =>
          html`<th role="columnheader" scope="col" class="${
            isNumeric(title) ? "number" : ""
          }">${title}</th>`
        )}</tr>
      </thead>
      <tbody role="rowgroup">${rows.map((row) => gangRow(row, { isQueue, now }))}</tbody>
    </table>
  `;
}

function gangRow(gang: GangRow, { isQueue, now }: { isQueue: boolean; now: number }): Html {
  const { namespace, name, phase, place, priority, since } = gang;
  return html`
    <tr role="row" id="gang/${namespace}/${name}">
    ${isQueue ? html`<td role="cell" class="place number">${String(place)}</td>` : ""}
    <td role="cell" class="gang">${gangLink(gang)}</td>
    <td role="cell">${phaseBadge(phase)}</td>
    <td role="cell" class="members">${membersBar(gang)}</td>
    ${isQueue
      ? html`<td role="cell" class="${
        priority === 0 ? "priority number usual" : "priority number"
      }"><span class="narrow">priority </span>${String(priority)}</td>`
      : ""}
    <td role="cell" class="since">${since === undefined ? "" : sinceText(since, now)}</td>
    <td role="cell" class="why"><bdi>${withoutName(gang)}</bdi></td>
    </tr>
  `;
}

function isNumeric(title: string): boolean {
  return title === "Place" || title === "Priority";
}

/** The sentence about a gang, beside its name. */
function withoutName(
  { namespace, name, message }: Pick<GangRow, "namespace" | "name" | "message">,
): string {
  const start = `gang ${namespace}/${name} `;
  return message.startsWith(start) ? message.slice(start.length) : message;
}

/** A link to a gang's story. */
export function gangLink({ namespace, name }: { namespace: string; name: string }): Html {
  const path = `/page/gangs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  return html`
    <a
      href="${path}"><bdi class="namespace">${namespace}</bdi>/<wbr><bdi>${name}</bdi></a>
  `;
}

/** Of a gang by its `namespace/name`: a namespace has no slash. */
export function namesOf(id: string): { namespace: string; name: string } {
  const slash = id.indexOf("/");
  return { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** Gangs that are gone, and how each ended. */
export function endedTable(
  rows: readonly EndedSummary[],
  { caption, now }: { caption: string; now: number },
): Html {
  return html`
    <table role="table" class="gangs ended">
      <caption>${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">${["Gang", "Last phase", "Ended", "How"].map((title) =>
          html`<th role="columnheader" scope="col">${title}</th>`
        )}</tr>
      </thead>
      <tbody role="rowgroup">${rows.map((gang) =>
        html`
          <tr role="row" id="ended/${gang.namespace}/${gang.name}/${gang.ended.at}">
            <td role="cell" class="gang">${gangLink(gang)}</td>
            <td role="cell">${phaseBadge(gang.phase)}</td>
            <td role="cell" class="since">${sinceText(
              gang.ended.at,
              now,
            )}<span class="narrow"> ago</span></td>
            <td role="cell" class="why"><bdi>${withoutName({
              ...gang,
              message: gang.ended.message,
            })}</bdi></td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

/**
 * Members that have a node or have ended well, and those that are held, of how many the quorum asks for; or where none has and
 * room is short, for how many there is some.
 */
export function membersBar({ members, minMember, fit }: GangSummary): Html {
  const placed = members.bound + members.succeeded;
  if (fit && placed + members.held === 0) {
    return html`${bar([["room", fit.members]], fit.of)} <span class="count">room for ${
      String(fit.members)
    } of ${String(fit.of)}</span>`;
  }
  return html`${
    bar([["bound", placed], ["held", members.held]], Math.max(minMember, placed + members.held))
  } <span class="count">${String(placed + members.held)} of ${String(minMember)}</span>`;
}

/** A bar with a part of each class, side by side. */
function bar(parts: readonly (readonly [name: string, count: number])[], of: number): Html {
  const scale = 48 / of;
  let end = 0;
  return html`<svg class="bar-of-members" viewBox="0 0 48 10" width="48" height="10" aria-hidden="true">
      <rect class="free" width="48" height="10" />
      ${
    parts.map(([name, count]) => {
      const start = end;
      end += count * scale;
      return html`<rect class="${name}" x="${start.toFixed(1)}" width="${
        (end - start).toFixed(1)
      }" height="10" />`;
    })
  }
    </svg>`;
}
