/**
 * What stands in the way of a gang group, whatever the scheduler does: the rules that prefilter and permit share.
 *
 * @module
 */
import type { GangFacts, Group } from "../gang/facts.ts";
import type { Settings } from "../gang/settings.ts";
import { title, whyPending } from "../words/why_pending.ts";
import { invalid, misplaced, type Obstacle, parked, short } from "./gang_obstacle.ts";
import { neededOf } from "./needed.ts";

/**
 * The first of: a problem, a parked gang, a gang of the group that is not there, members of another scheduler without which
 * it can not become whole, too few members (S0 to S4). Of gangs that the group can do without there is none.
 */
export function obstacle(
  group: Group,
  settings: Pick<Settings, "matchPolicy">,
): Obstacle | undefined {
  const needed = neededOf(group, { settings });
  return unusable(needed.group) ?? incomplete(group, needed.absent) ??
    first(needed.group, (facts) => misplaced(facts, settings)) ??
    first(needed.group, short);
}

/** A problem or a parked gang, neither of which passes by waiting. */
export function unusable(group: Group): Obstacle | undefined {
  return first(group, invalid) ?? first(group, parked);
}

function first(
  group: Group,
  rule: (facts: GangFacts) => Obstacle | undefined,
): Obstacle | undefined {
  for (const facts of group.gangs) {
    const found = rule(facts);
    if (found) return found;
  }
  return undefined;
}

/** Gangs that the group needs are not there. */
export function incomplete(group: Group, absent: readonly string[]): Obstacle | undefined {
  return absent.length > 0
    ? whyPending({ reason: "GroupIncomplete", title: title(group), absent: [...absent] })
    : undefined;
}
