/**
 * What must hold of gangs that their group can do without.
 *
 * @module
 */
import type { Plan } from "../../../shared/core/plan/plan.ts";
import type { Free } from "./exact_room.ts";
import { gangsOf, hasChoice, leftOutOf, startedIn, type TreePart } from "./trees.ts";
import { canStart, gangOf, isWholeBy, type Wanted } from "./wanted.ts";

/**
 * A rule that a plan breaks which has places for what its group needs; undefined: all hold. What is left out has no member that
 * goes, is told, and has no room; `left` is what is free beside all plans, undefined where that may be kept for others.
 */
export function faultOfLeftOut(
  { taken = [], surplus = [], unplaced, leftOut }: Plan,
  { wanted, left }: { wanted: Wanted; left: Free | undefined },
): string | undefined {
  const { tree, gangs } = wanted;
  if (!hasChoice(tree)) return leftOut && "something is left out of what needs all";
  const all = [...taken, ...surplus];
  const isWhole = isWholeBy(all, wanted);
  const starts = startedIn(tree, isWhole);
  const stray = all.find((use) => !starts.includes(gangOf(use, gangs)!.id));
  if (stray) return `${gangOf(stray, gangs)!.id} goes in part`;
  const parts = leftOutOf(tree, isWhole);
  const names = parts.map(nameOf).sort().join();
  const told = leftOut?.map(({ part }) => part).sort().join();
  if (told !== names && !(unplaced === undefined && told === undefined)) {
    return `${told} is left out, not ${names}`;
  }
  for (const { part, gangs } of leftOut ?? []) {
    const own = gangsOf(parts.find((each) => nameOf(each) === part)!);
    if (gangs.toSorted().join() !== own.toSorted().join()) return `${part} is not ${gangs.join()}`;
  }
  const fitting = left && parts.find((part) => canStart(wanted, { free: left, part }));
  if (fitting) return `there is room for ${nameOf(fitting)}, which is left out`;
  const wrong = left && leftOut?.find(({ fit }) => fit && fit.members >= fit.of);
  return wrong && `${wrong.part} is left out, and told ${JSON.stringify(wrong.fit)}`;
}

function nameOf(part: TreePart): string {
  return typeof part === "string" ? part : part.name;
}
