/**
 * What its user should know of a declaration that is used all the same.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import { quoted, shortened } from "../../core/words/text.ts";
import {
  countOf,
  type Declaration,
  groupsOf,
  matchPolicyOf,
  modeOf,
  waitOf,
} from "./declaration.ts";
import { disruptionOf } from "./declared_disruption.ts";
import { durationOf } from "./declared_run_time.ts";
import { declaredText, isAlike, memberOf, valueOf } from "./member.ts";
import type { Pod } from "../types.ts";

/** Something about one member's declaration that its user should know. */
export interface Warning {
  readonly pod: Pod;
  readonly message: string;
}

/** A total below minMember is minMember (S3). */
export function tooFew({ totalMember }: Declaration, minMember: number): string[] {
  const total = valueOf(totalMember, countOf);
  return total === undefined || total >= minMember ? [] : [
    `${totalMember!.field} is ${
      quoted(totalMember!.text)
    }, but minMember is ${minMember}: minMember is used`,
  ];
}

/** Values that can not be read take their defaults. */
export function malformed(declaration: Declaration): string[] {
  const { totalMember, mode, wait, matchPolicy, groups, disruption, expectedDuration } =
    declaration;
  const texts = [
    [totalMember, countOf],
    [mode, modeOf],
    [wait, waitOf],
    [matchPolicy, matchPolicyOf],
    [groups, groupsOf],
    [disruption, disruptionOf],
    [expectedDuration, durationOf, "it is not used"],
  ] as const;
  return texts.flatMap(([written, read, what = "its default is used"]) => {
    const meaning = written && read(written);
    if (!meaning || "value" in meaning) return [];
    // Then it is a problem.
    if (written.text.length > limits.groupsText) return [];
    return [
      `${written.field} is ${quoted(written.text)}, but ${meaning.must}: ${what}`,
    ];
  });
}

/** Members that declare their gang otherwise than the one that rules. */
export function disagreeing(members: readonly Pod[], ruling: Pod): Warning[] {
  const rules = memberOf(ruling).declaration;
  const others = members.filter((pod) => !isAlike(memberOf(pod).declaration, rules));
  return others.map((pod) => ({
    pod,
    message: shortened(
      `pod ${pod.metadata.name} declares its gang by ${
        declaredText(memberOf(pod).declaration)
      }, but pod ` +
        `${ruling.metadata.name}, the oldest one that can, rules with ${declaredText(rules)}`,
      limits.sentence,
    ),
  }));
}
