/**
 * Times as people read them, beside what machines read.
 *
 * @module
 */
import { html } from "hono/html";
import type { Html } from "./document.ts";

/** How long ago an RFC 3339 time was, by the greatest unit that fits. */
export function sinceText(time: string, now: number): Html {
  return html`<time datetime="${time}" title="${time}">${ageText(now - Date.parse(time))}</time>`;
}

/** The time of a day in UTC, `15:04:05 UTC`. */
export function clockText(time: string): Html {
  return html`<time datetime="${time}" title="${time}">${time.slice(11, 19)} UTC</time>`;
}

/** The time of a day in UTC, by ms since the epoch, `15:04:05`. */
export function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

/** `12 s`, `5 min`, `3 h`, `4 d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}
