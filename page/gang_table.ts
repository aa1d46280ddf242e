/**
 * Gangs as rows of a table.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangSummary } from "../shared/contract/types.ts";
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
function withoutName({ namespace, name, message }: GangRow): string {
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

/** Members that have a node or have ended well, and those that are held, of how many the quorum asks for. */
export function membersBar({ members, minMember }: GangSummary): Html {
  const placed = members.bound + members.succeeded;
  const scale = 48 / Math.max(minMember, placed + members.held);
  const [wide, held] = [placed * scale, members.held * scale];
  return html`
    <svg class="bar-of-members" viewBox="0 0 48 10" width="48" height="10" aria-hidden="true">
      <rect class="free" width="48" height="10" />
      <rect class="bound" width="${wide.toFixed(1)}" height="10" />
      <rect class="held" x="${wide.toFixed(1)}" width="${held.toFixed(1)}" height="10" />
    </svg> <span class="count">${String(placed + members.held)} of ${String(minMember)}</span>
  `;
}
