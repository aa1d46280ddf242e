/**
 * Which gangs were whole once: one that has lost members since is to become whole again before others start.
 *
 * @module
 */
import { gangId, type Group, type Whole } from "../gang/facts.ts";
import type { Admission, Decision } from "./decision.ts";

/** What is known after a call: members that were bound, or may bind now, make their gang whole; undefined: no gang was ever. */
export function followWhole(
  before: Whole | undefined,
  { group, outcome }: { group: Group; outcome: Admission | Decision },
): Whole | undefined {
  const mayBind = new Set("allow" in outcome ? outcome.allow : []);
  const whole = Object.fromEntries(group.gangs.flatMap((facts) => {
    const { gang: { minMember }, census: { bound, succeeded }, held } = facts;
    const left = bound + held.length;
    const binding = held.filter(({ uid }) => mayBind.has(uid)).length;
    const isWhole = bound + succeeded + binding >= minMember;
    const known = before?.[gangId(facts.gang)] ?? 0;
    const most = isWhole ? Math.max(known, minMember) : known;
    return left > 0 && most > 0 ? [[gangId(facts.gang), most]] : [];
  }));
  return Object.keys(whole).length > 0 ? whole : undefined;
}
