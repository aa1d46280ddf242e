/**
 * A place of the map as a bar: what each gang has there, in its colour.
 *
 * @module
 */
import { html } from "hono/html";
import type { MapPlace } from "../shared/core/gang/cluster_map.ts";
import type { Html } from "./document.ts";

const width = 240;
const height = 14;
const colours = 6;

/** What a bar is drawn by. */
export interface BarOptions {
  readonly gangs: readonly string[];
  /** As much as the longest bar stands for. */
  readonly widest: number;
  readonly text: (amount: number) => string;
}

/** Parts of it, one after another: of each gang what runs, what is held and what is planned. */
export function sharesBar(
  { allocatable, gangs, others }: MapPlace,
  { gangs: names, widest, text }: BarOptions,
): Html {
  const shares = [
    ...gangs.map((share) => ({
      ...share,
      name: names[share.gang]!,
      colour: colourOf(names[share.gang]!),
    })),
    { ...others, name: "others", colour: "others" },
  ];
  const states = [["bound", "running"], ["held", "held"], ["planned", "planned"]] as const;
  const parts = states.flatMap(([state, word]) =>
    shares.flatMap(({ name, colour, [state]: amount = 0 }) =>
      amount > 0 ? [{ state, colour, amount, title: `${name}: ${text(amount)} ${word}` }] : []
    )
  );
  const xOf = (amount: number) => Math.min(amount, allocatable) / widest * width;
  let taken = 0;
  return html`
    <svg viewBox="0 0 ${String(width)} ${String(height)}" preserveAspectRatio="none">
      <rect class="free" width="${xOf(allocatable).toFixed(1)}" height="${String(height)}" />
      ${parts.map(({ state, colour, amount, title }) => {
        const x = xOf(taken);
        taken += amount;
        const size = html`x="${x.toFixed(1)}" width="${(xOf(taken) - x).toFixed(1)}" height="${
          String(height)
        }"`;
        return html`
          <g class="part ${state} ${colour}">
            <title>${title}</title>
            <rect ${size} />
          </g>
        `;
      })}
    </svg>
  `;
}

/** The class of its colour: the same for a gang whatever else is there. */
export function colourOf(gang: string): string {
  let sum = 0;
  for (const unit of gang) sum = (sum * 31 + unit.codePointAt(0)!) % 9973;
  return `g${sum % colours}`;
}
