/**
 * Which gangs are like one another: those of one namespace, of one kind of owner, whose names differ only at the end.
 *
 * @module
 */
import type { GangSpec } from "./facts.ts";

/** What names gangs that run for about as long as one another: `team-a/Job/nightly`; `owner` is the kind of what controls their pods. */
export function runPattern(
  { namespace, name }: Pick<GangSpec, "namespace" | "name">,
  owner: string | undefined,
): string {
  return `${namespace}/${owner ?? ""}/${withoutEnding(name)}`;
}

const uuid = /[-_.][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What operators and the API server put at the end of a name: numbers, hashes, and their own random letters, without vowels. */
const endings = [
  /^\d+$/,
  /^(?=.*\d)[0-9a-f]{6,}$/,
  /^[bcdfghjklmnpqrstvwxz2456789]{5}$/,
  /^(?=.*\d)[bcdfghjklmnpqrstvwxz2456789]{8,10}$/,
];

/** A name without the numbers and hashes at its end: `nightly` of `nightly-28374650-x7k2p`, `run` of `run12`. */
function withoutEnding(name: string): string {
  const parts = name.replace(uuid, "").split(/(?=[-_.])/);
  let kept = parts.length;
  while (kept > 1 && isEnding(parts[kept - 1]!.slice(1))) kept--;
  const rest = parts.slice(0, kept).join("");
  if (rest !== name) return rest;
  return name.replace(/\d+$/, "") || name;
}

function isEnding(part: string): boolean {
  return endings.some((ending) => ending.test(part));
}
