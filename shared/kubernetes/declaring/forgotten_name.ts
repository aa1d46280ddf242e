/**
 * Pods that say how many start together, but not with whom.
 *
 * @module
 */
import { countOf } from "./declaration.ts";
import { dialects, membershipOf } from "./dialect.ts";
import type { Pod } from "../types.ts";

/** What a pod without a gang forgot to say beside its quorum; undefined where it asks for no gang. */
export function forgottenName(pod: Pod): string | undefined {
  if (membershipOf(pod)) return undefined;
  for (const { nameField, quorumField, declaration } of dialects) {
    const { minMember } = declaration(pod);
    if (!minMember || minMember.field !== quorumField) continue;
    const means = countOf(minMember);
    if ("value" in means && means.value === 1) return undefined;
    return `pod ${pod.metadata.name} has ${quorumField}, but no ${nameField}: it belongs to no gang and ` +
      "is scheduled alone, so name its gang";
  }
  return undefined;
}
