/**
 * Declarations that are larger than what the policy takes.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { isGangId, isGroupSize, isResourcesSize, limits } from "../../core/gang/limits.ts";
import { quoted } from "../../core/words/text.ts";
import type { Declaration } from "./declaration.ts";

/** What is too long of a gang's lists; `groups` is its whole gang group, where that can be read. */
export function sizeProblem(
  { groups, minResources }: Declaration,
  { id, names = [] }: { id: string; names: readonly string[] | undefined },
): Problem | undefined {
  const stranger = names.find((name) => !isGangId(name));
  if (stranger !== undefined) {
    return {
      reason: "InvalidGroups",
      message: `gang ${id} declares a gang group that can not be used: ${groups?.field} names ` +
        `${quoted(stranger)}, but no gang can be called so`,
    };
  }
  if ((groups?.text.length ?? 0) > limits.groupsText || !isGroupSize(names)) {
    return {
      reason: "InvalidGroups",
      message: `gang ${id} declares a gang group that can not be used: ${groups?.field} may name ` +
        `${limits.groupGangs} gangs, and be ${limits.groupNames} letters long`,
    };
  }
  if (minResources && !isResourcesSize(minResources)) {
    return {
      reason: "InvalidMinResources",
      message: `gang ${id} asks for minResources that can not be used: they may have ` +
        `${limits.resources} entries, each of a resource's name and an amount of ${limits.quantity} letters`,
    };
  }
  return undefined;
}
