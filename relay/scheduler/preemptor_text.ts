/**
 * For whom members have to leave, in words.
 *
 * @module
 */
import { gangId } from "../../shared/core/gang/facts.ts";
import { named } from "../../shared/core/words/text.ts";
import { membershipOf } from "../../shared/kubernetes/declaring/dialect.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";

/** For whom victims leave, in words. */
export function preemptorText(preemptor: Pod): string {
  const { namespace, name } = preemptor.metadata;
  const membership = membershipOf(preemptor);
  const who = membership
    ? `gang ${named(gangId(membership))}`
    : `pod ${named(`${namespace}/${name}`)}`;
  return `${who} of higher priority`;
}
