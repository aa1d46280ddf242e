/**
 * The members of a gang, one by one.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangDetail } from "../shared/contract/types.ts";
import { nodeText } from "../shared/core/words/node_text.ts";
import { requestsText } from "../shared/core/words/requests_text.ts";
import type { Html } from "./document.ts";

/** Each with its state, its node and what it asks for; nothing where they are not known. */
export function podTable({ pods = [], members }: GangDetail): Html | string {
  if (pods.length === 0) return "";
  const { running: _, ...classes } = members;
  const hasDomains = pods.some(({ domain }) => domain !== undefined);
  const all = Object.values(classes).reduce((sum: number, count = 0) => sum + count, 0);
  return html`
    <section aria-labelledby="members">
      <h2 id="members">Members</h2>
      ${all > pods.length
        ? html`<p class="note">The first ${String(pods.length)} by name.</p>`
        : ""}
      <div class="scroll" tabindex="0" role="group" aria-label="One by one">
        <table>
          <thead><tr><th>Member</th><th>State</th><th>Node</th>${hasDomains
            ? html`<th>Domain</th>`
            : ""}<th>Requests</th></tr></thead>
          <tbody>${pods.map((pod) =>
            html`
              <tr>
                <td><bdi>${pod.name}</bdi></td>
                <td>${pod.state}</td>
                <td><bdi>${nodeText(pod)}</bdi></td>
                ${hasDomains ? html`<td><bdi>${pod.domain ?? ""}</bdi></td>` : ""}
                <td>${requestsText(pod)}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </div>
    </section>
  `;
}
