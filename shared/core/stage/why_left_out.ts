/**
 * Why gangs wait that their group can do without.
 *
 * @module
 */
import { type CompositeNode, findPart, gangsIn } from "../gang/composites.ts";
import { gangId, type Group, type LeftOut } from "../gang/facts.ts";
import type { CompositeFacts } from "../gang/topology.ts";
import type { Settings } from "../gang/settings.ts";
import type { Reason } from "../words/reason.ts";
import { whyPending } from "../words/why_pending.ts";
import type { WhyLeftOut } from "./decision.ts";
import { obstacle } from "./obstacle.ts";

/** Of each gang that is left out what stands in its way, or the room that it lacks; undefined: none is. */
export function whyLeftOut(
  { composites, leftOut = [], ...group }: Group,
  settings: Pick<Settings, "matchPolicy">,
): WhyLeftOut | undefined {
  if (!composites || leftOut.length === 0) return undefined;
  const why = leftOut.flatMap((one) => {
    const found = findPart(composites, one.part);
    if (!found) return [];
    const gangs = gangsIn(found.part);
    const alone = aloneOf(group, { part: found.part, composites });
    const obstructed = obstacle(alone, settings);
    return gangs.map((gang) => {
      const { reason, message } = obstructed ?? lacking(gang, { ...one, within: found.within });
      return [gang, { reason, message }] as const;
    });
  });
  return Object.fromEntries(why);
}

/** The group as if a part of it were all there is. */
function aloneOf(
  group: Group,
  { part, composites }: { part: CompositeNode | string; composites: readonly CompositeFacts[] },
): Group {
  const gangs = new Set(gangsIn(part));
  return {
    ...group,
    gangs: group.gangs.filter(({ gang }) => gangs.has(gangId(gang)))
      .map((facts) => ({ ...facts, gang: { ...facts.gang, groups: [...gangs] } })),
    ...(typeof part !== "string" && { composites: within(part.name, composites) }),
  };
}

function within(name: string, composites: readonly CompositeFacts[]): CompositeFacts[] {
  const names = new Set([name]);
  for (const each of composites) if (names.has(each.within ?? "")) names.add(each.name);
  return composites.filter((each) => names.has(each.name)).map(({ within, ...each }) => ({
    ...each,
    ...(each.name !== name && { within }),
  }));
}

function lacking(
  gang: string,
  { part, fit, within }: LeftOut & { within: CompositeNode },
): { reason: Reason; message: string } {
  const { name: composite, min, parts: { length: of } } = within;
  const whose = part === gang ? { gang } : { gang, part };
  return whyPending({ reason: "LeftOut", ...whose, composite, min, of, fit });
}
