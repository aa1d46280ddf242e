/**
 * The nodes of the cluster by domain, and which gangs have them: drawn, and as a table.
 *
 * @module
 */
import { html } from "hono/html";
import type { ClusterMap, MapPlace, MapShare } from "../shared/core/gang/cluster_map.ts";
import { labelText } from "../shared/core/words/text.ts";
import { amountText } from "./amount_text.ts";
import type { Html } from "./document.ts";
import { gangLink, namesOf } from "./gang_table.ts";
import { colourOf, sharesBar } from "./shares_bar.ts";
import { sinceText } from "./time_text.ts";

/** The map at a time in ms since the epoch; undefined: none was told yet. */
export function nodeMap(map: ClusterMap | undefined, now: number): Html {
  return html`
    <div class="heading">
      <p class="crumb"><a href="/page">Gangs</a></p>
      <h1>Nodes</h1>
      ${map === undefined ? "" : html`<p class="asof">as told ${sinceText(map.at, now)} ago</p>`}
    </div>
    ${map === undefined || map.places.length === 0 ? nothingTold() : html`
      ${drawing(map)}
      ${table(map)}
    `}
  `;
}

function nothingTold(): Html {
  return html`
    <section class="notice">
      <h2>No node yet</h2>
      <p>
        Nodes are told with the facts of gangs: as soon as there is a gang, they are shown here, and which gangs have them.
      </p>
    </section>
  `;
}

const keys = [
  ["running", "bound"],
  ["held for a gang that assembles", "held"],
  ["planned", "planned"],
  ["others", "others"],
  ["free", "free"],
] as const;

/** Whoever does not see it has the table. */
function drawing({ resource, levels, places, gangs }: ClusterMap): Html {
  const around = (place: MapPlace) =>
    place.node === undefined ? place.domain?.slice(0, -1) : place.domain;
  const cards = Map.groupBy(places, (place) => around(place)?.join("/") ?? "");
  const widest = Math.max(...places.map(({ allocatable }) => allocatable));
  return html`
    <section aria-labelledby="map">
      <h2 id="map">${resource} by gang</h2>
      <ul class="plain keys">${keys.map(([text, key]) =>
        html`<li><span class="key of-map ${key}" aria-hidden="true"></span>${text}</li>`
      )}</ul>
      <p class="note">
        A gang has the same colour on all nodes, one of six. Others are pods of no gang, and gangs that are too many to be named.
      </p>
      <ul class="map" aria-hidden="true">${[...cards.values()].map((places) =>
        html`
          <li class="chart">
            <h3>${cardTitle(around(places[0]!), levels)} <span class="means">${takenText(
              resource,
              places,
            )}</span></h3>
            <ul class="places">${places.map((place) =>
              html`
                <li><bdi class="place">${placeName(place)}</bdi>${sharesBar(place, {
                  gangs,
                  widest,
                  text: (amount) => amountText(resource, amount),
                })}</li>
              `
            )}</ul>
          </li>
        `
      )}</ul>
    </section>
  `;
}

function cardTitle(domain: readonly string[] | undefined, levels: readonly string[]): Html {
  if (domain === undefined || domain.length === 0) return html`All`;
  return html`${labelText(levels[domain.length - 1]!)} <bdi>${domainText(domain)}</bdi>`;
}

function domainText(domain: readonly string[]): string {
  return domain.map((value) => value || "none").join("/");
}

function placeName({ node, domain, nodes }: MapPlace): string {
  return node ?? (domain === undefined ? `${nodes} other nodes` : domain.at(-1) || "none");
}

/** `12 of 32`. */
function takenText(resource: string, places: readonly MapPlace[]): string {
  const sum = (value: (place: MapPlace) => number) =>
    amountText(resource, places.reduce((sum, place) => sum + value(place), 0));
  return `${sum(takenOf)} of ${sum(({ allocatable }) => allocatable)}`;
}

function takenOf(place: MapPlace): number {
  return amountOf(place, "bound") + amountOf(place, "held");
}

function amountOf({ gangs, others }: MapPlace, state: keyof MapShare): number {
  return [...gangs, others].reduce((sum, share) => sum + (share[state] ?? 0), 0);
}

function table({ resource, levels, places, gangs }: ClusterMap): Html {
  const hasDomains = levels.length > 0;
  const isByNode = places.some(({ node }) => node !== undefined);
  const text = (amount: number) => amountText(resource, amount);
  const amounts = ["Of", "Running", "Held", "Planned", "Free"];
  return html`
    <section aria-labelledby="nodes">
      <h2 id="nodes">${isByNode ? "Node by node" : "Domain by domain"}</h2>
      <div class="scroll" tabindex="0" role="group" aria-label="Nodes">
        <table>
          <caption>${resource}: what nodes have of it, and which gangs take it</caption>
          <thead>
            <tr>${hasDomains
              ? html`<th scope="col">${labelText(levels.at(-1)!)}</th>`
              : ""}<th scope="col">${isByNode ? "Node" : "Nodes"}</th>${amounts.map((title) =>
                html`<th scope="col" class="number">${title}</th>`
              )}<th scope="col">Gangs</th></tr>
          </thead>
          <tbody>${places.map((place) =>
            html`
              <tr>
                ${hasDomains
                  ? html`<td><bdi>${place.domain ? domainText(place.domain) : "others"}</bdi></td>`
                  : ""}
                <td><bdi>${place.node ??
                  (isByNode ? placeName(place) : String(place.nodes))}</bdi></td>
                <td class="number">${text(place.allocatable)}</td>
                <td class="number">${text(amountOf(place, "bound"))}</td>
                <td class="number">${text(amountOf(place, "held"))}</td>
                <td class="number">${text(amountOf(place, "planned"))}</td>
                <td class="number">${text(Math.max(0, place.allocatable - takenOf(place)))}</td>
                <td class="why">${sharesList(place, { gangs, text })}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </div>
    </section>
  `;
}

interface Named {
  readonly gangs: readonly string[];
  readonly text: (amount: number) => string;
}

function sharesList({ gangs, others }: MapPlace, named: Named): Html {
  const rest = shareText(others, named);
  return html`<ul class="plain">${
    gangs.map((share) => {
      const gang = named.gangs[share.gang]!;
      return html`<li><span class="key of-map gang ${colourOf(gang)}" aria-hidden="true"></span>${
        gangLink(namesOf(gang))
      } ${shareText(share, named)}</li>`;
    })
  }${rest === "" ? "" : html`<li>others ${rest}</li>`}</ul>`;
}

/** `4 running, 2 planned`. */
function shareText({ bound = 0, held = 0, planned = 0 }: MapShare, { text }: Named): string {
  const amounts = [[bound, "running"], [held, "held"], [planned, "planned"]] as const;
  return amounts.filter(([amount]) => amount > 0)
    .map(([amount, state]) => `${text(amount)} ${state}`).join(", ");
}
