/**
 * For whom members have to leave, in words.
 *
 * @module
 */
import { gangId } from "../../core/gang/facts.ts";
import { named } from "../../core/words/text.ts";
import { membershipOf } from "./dialect.ts";
import type { Pod } from "../types.ts";

/** For whom victims leave, in words. */
export function preemptorText(preemptor: Pod): string {
  const { namespace, name } = preemptor.metadata;
  const membership = membershipOf(preemptor);
  const who = membership
    ? `gang ${named(gangId(membership))}`
    : `pod ${named(`${namespace}/${name}`)}`;
  return `${who} of higher priority`;
}
