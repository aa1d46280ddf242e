/**
 * The nodes of a gang by domain: who runs there, is held, or is to go there.
 *
 * @module
 */
import { html } from "hono/html";
import type { GangDetail } from "../shared/contract/types.ts";
import { requestsText } from "../shared/core/words/requests_text.ts";
import type { Html } from "./document.ts";

type Member = NonNullable<GangDetail["pods"]>[number];

/** Nodes in the order of their domains, each drawn with its members; nothing where none has a node, or is to go to one. */
export function gangPlaces({ pods = [] }: GangDetail): Html | string {
  const placed = pods.filter((pod) => nodeOf(pod) !== undefined && !isOver(pod));
  if (placed.length === 0) return "";
  const hasDomains = placed.some(({ domain }) => domain !== undefined);
  const byNode = [...Map.groupBy(placed, (pod) => nodeOf(pod)!)].map(([node, members]) => ({
    node,
    members,
    domain: members[0]!.domain ?? "",
  }));
  byNode.sort((a, b) => compare(a.domain, b.domain) || compare(a.node, b.node));
  return html`
    <section aria-labelledby="places">
      <h2 id="places">Places</h2>
      <div class="scroll" tabindex="0" role="group" aria-label="Nodes">
        <table>
          <thead>
            <tr>${hasDomains
              ? html`<th>Domain</th>`
              : ""}<th>Node</th><th>Members</th><th>Requests</th></tr>
          </thead>
          <tbody>${byNode.map(({ node, members, domain }, index) =>
            html`
              <tr>
                ${hasDomains
                  ? html`<td><bdi>${domain === byNode[index - 1]?.domain ? "" : domain}</bdi></td>`
                  : ""}
                <td><bdi>${node}</bdi></td>
                <td><span class="cells" aria-hidden="true">${members.map((member) =>
                  html`<span class="cell ${standing(member)}"></span>`
                )}</span> ${countsText(members)}</td>
                <td>${requestsText({ requests: sumOf(members) })}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </div>
    </section>
  `;
}

function nodeOf({ node, planned }: Member): string | undefined {
  return node ?? planned;
}

function isOver({ state }: Member): boolean {
  return state === "succeeded" || state === "failed";
}

const standings = ["bound", "held", "planned"] as const;

function standing({ node, state }: Member): typeof standings[number] {
  return node !== undefined ? "bound" : state === "held" ? "held" : "planned";
}

/** `2 bound, 1 planned`. */
function countsText(members: readonly Member[]): string {
  const counts = standings.map((name) =>
    [name, members.filter((member) => standing(member) === name).length] as const
  );
  return counts.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

function sumOf(members: readonly Member[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const [name, amount] of members.flatMap(({ requests }) => Object.entries(requests))) {
    sum[name] = (sum[name] ?? 0) + amount;
  }
  return sum;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
