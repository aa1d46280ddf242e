/**
 * Phases as text, shape and colour: any of the three is enough.
 *
 * @module
 */
import { html } from "hono/html";
import type { Phase } from "../shared/core/gang/phase.ts";
import type { Html } from "./document.ts";

/** The phases, in the order in which a gang goes through them, and what each means. */
export const phases: readonly { readonly phase: Phase; readonly means: string }[] = [
  { phase: "Pending", means: "members are missing" },
  { phase: "Scheduling", means: "wait for nodes" },
  { phase: "Running", means: "enough members run" },
  { phase: "Finished", means: "have succeeded" },
  { phase: "Failed", means: "have lost members" },
];

const shapes: Readonly<Record<Phase, Html>> = {
  Pending: html`
    <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2"
      stroke-dasharray="3 2" />
  `,
  Scheduling: html`
    <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />
    <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
  `,
  Running: html`
    <path d="M4 2.5v11l9-5.5z" fill="currentColor" />
  `,
  Finished: html`
    <path d="M2.5 8.5l3.5 3.5 7.5-8" fill="none" stroke="currentColor" stroke-width="2.2" />
  `,
  Failed: html`
    <path d="M3.5 3.5l9 9m0-9l-9 9" fill="none" stroke="currentColor" stroke-width="2.2" />
  `,
};

/** The shape of a phase; the text beside it says the same. */
export function phaseShape(phase: Phase): Html {
  return html`<svg class="shape" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${
    shapes[phase]
  }</svg>`;
}

/** A phase by its name, shape and colour. */
export function phaseBadge(phase: Phase): Html {
  return html`<span class="phase ${phase.toLowerCase()}">${phaseShape(phase)} ${phase}</span>`;
}
