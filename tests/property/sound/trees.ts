/**
 * Which gangs of a tree of composites are needed, worked out once more by trying everything: for trees of a few gangs.
 *
 * @module
 */
import type { Composite, CompositeFacts } from "../../../shared/core/gang/topology.ts";

/** A composite, or a gang as `namespace/name`. */
export type TreePart = Composite | string;

/** The tree that facts tell of. */
export function treeOf(composites: readonly CompositeFacts[]): Composite {
  const [root] = composites;
  const partOf = ({ name, min, gangs }: CompositeFacts): Composite => ({
    name,
    min,
    children: [...gangs, ...composites.filter(({ within }) => within === name).map(partOf)],
  });
  return partOf(root!);
}

/** All gangs of a part. */
export function gangsOf(part: TreePart): readonly string[] {
  return typeof part === "string" ? [part] : part.children.flatMap(gangsOf);
}

/** Whether it, or one within it, can do without some of its parts. */
export function hasChoice({ min, children }: Composite): boolean {
  return (min ?? children.length) < children.length ||
    children.some((child) => typeof child !== "string" && hasChoice(child));
}

/** Whether a part may start by the gangs that are whole. */
export function mayStart(part: TreePart, isWhole: (gang: string) => boolean): boolean {
  if (typeof part === "string") return isWhole(part);
  const { min, children } = part;
  return children.filter((child) => mayStart(child, isWhole)).length >= (min ?? children.length);
}

/** The whole gangs of a part that may start, each within composites that may. */
export function startedIn(
  part: TreePart,
  isWhole: (gang: string) => boolean,
): readonly string[] {
  if (!mayStart(part, isWhole)) return [];
  return typeof part === "string"
    ? [part]
    : part.children.flatMap((child) => startedIn(child, isWhole));
}

/** Of a tree that has started, what has not: a gang, or a composite as a whole. */
export function leftOutOf(
  part: TreePart,
  isWhole: (gang: string) => boolean,
): readonly TreePart[] {
  if (!mayStart(part, isWhole)) return [part];
  return typeof part === "string"
    ? []
    : part.children.flatMap((child) => leftOutOf(child, isWhole));
}

/** Every choice of gangs by which a part would start, no more of them than it needs. */
export function choicesOf(part: TreePart): readonly (readonly string[])[] {
  if (typeof part === "string") return [[part]];
  const { min, children } = part;
  const choose = (index: number, count: number): readonly (readonly string[])[] => {
    if (count === 0) return [[]];
    const child = children[index];
    if (child === undefined) return [];
    const rest = choose(index + 1, count - 1);
    const some = choicesOf(child);
    return [
      ...some.flatMap((gangs) => rest.map((others) => [...gangs, ...others])),
      ...choose(index + 1, count),
    ];
  };
  return choose(0, min ?? children.length);
}

/** What the cheapest of these choices costs; Infinity: none can be had. */
export function leastCost(part: TreePart, costOf: (gang: string) => number): number {
  return Math.min(
    Infinity,
    ...choicesOf(part).map((gangs) => gangs.reduce((sum, gang) => sum + costOf(gang), 0)),
  );
}
