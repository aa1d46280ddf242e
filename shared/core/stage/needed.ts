/**
 * What a gang group needs at the least, where it can do without some of its gangs.
 *
 * @module
 */
import { neededParts, unreachable } from "../gang/composites.ts";
import { type GangFacts, gangId, type Group } from "../gang/facts.ts";
import { missing, unknownGangs } from "../gang/quorum.ts";
import type { Settings } from "../gang/settings.ts";
import { compositeText } from "../words/why_pending.ts";
import { gangObstacle } from "./gang_obstacle.ts";

/** Those that lack least of the gangs that may become whole; others only where there are not enough of them. */
export interface Needed {
  readonly group: Group;
  /** Gangs that nobody has reported, and what composites lack that have fewer parts than they need, in words. */
  readonly absent: readonly string[];
}

/** How it is found out. */
export interface Needing {
  readonly settings: Pick<Settings, "matchPolicy">;
  /** Gangs that can not become whole in this round, by `namespace/name`. */
  readonly hopeless?: ReadonlySet<string>;
}

/** The gangs without which the group can not become whole. */
export function neededOf(group: Group, { settings, hopeless }: Needing): Needed {
  if (!group.composites) return { group, absent: unknownGangs(group) };
  const isHopeless = ({ gang }: GangFacts) => hopeless?.has(gangId(gang)) === true;
  const { gangs, lacking } = neededParts(
    group,
    (facts) =>
      isHopeless(facts) || gangObstacle(facts, settings) ? unreachable : missing(facts, settings),
  );
  const needed = new Set(gangs);
  const known = new Set(group.gangs.map(({ gang }) => gangId(gang)));
  return {
    group: { ...group, gangs: group.gangs.filter(({ gang }) => needed.has(gangId(gang))) },
    absent: [
      ...[...needed].filter((gang) => !known.has(gang)).sort(),
      ...lacking.map((name) => `another group of ${compositeText(name)}`),
    ],
  };
}
