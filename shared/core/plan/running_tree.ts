/**
 * Gangs that run together in composites, and which of them leave because others do: what is left of a composite with too few
 * whole parts would hold its room for nothing.
 *
 * @module
 */
import {
  isWholeWithout,
  lossesOf,
  type Running,
  type RunningPod,
  type RunningTree,
} from "./running.ts";

/** What is so of gangs, by `namespace/name`. */
export interface Gangs {
  readonly isWhole: (gang: string) => boolean;
  /** Before others left. */
  readonly wasWhole: (gang: string) => boolean;
}

/** The gangs of every composite that leaves as a whole and has fewer whole parts than it needs, and had enough. */
export function gangsLeaving(tree: RunningTree, gangs: Gangs): readonly string[] {
  return fateOf(tree, gangs).leaving;
}

interface Fate {
  readonly wasWhole: boolean;
  readonly isWhole: boolean;
  readonly gangs: readonly string[];
  readonly leaving: readonly string[];
}

function fateOf(part: RunningTree | string, by: Gangs): Fate {
  if (typeof part === "string") {
    return { wasWhole: by.wasWhole(part), isWhole: by.isWhole(part), gangs: [part], leaving: [] };
  }
  const fates = part.parts.map((each) => fateOf(each, by));
  const wasWhole = fates.filter((fate) => fate.wasWhole).length >= part.min;
  const isWhole = fates.filter((fate) => fate.isWhole).length >= part.min;
  const gangs = fates.flatMap((fate) => fate.gangs);
  const isFallen = wasWhole && !isWhole && part.leavesWhole;
  return { wasWhole, isWhole, gangs, leaving: isFallen ? gangs : fates.flatMap((f) => f.leaving) };
}

/** A tree that falls when pods leave, and all gangs of it that leave then. */
export interface Fall {
  readonly gangs: readonly string[];
  /** Those that were whole, and have members to lose. */
  readonly broken: readonly string[];
  /** Of the pods those that are in it. */
  readonly pods: readonly RunningPod[];
}

/** The trees that fall when these pods leave. */
export function fallsWith(leaving: readonly RunningPod[], { gangs, trees = [] }: Running): Fall[] {
  if (trees.length === 0) return [];
  const losses = lossesOf(leaving);
  const isWholeAfter = (id: string, pods: readonly RunningPod[]) => {
    const gang = gangs.get(id);
    return gang !== undefined && isWholeWithout(gang, pods);
  };
  return trees.flatMap((tree) => {
    const fallen = new Set(gangsLeaving(tree, {
      isWhole: (id) => isWholeAfter(id, losses.get(id) ?? []),
      wasWhole: (id) => isWholeAfter(id, []),
    }));
    if (fallen.size === 0) return [];
    return [{
      gangs: [...fallen],
      broken: [...fallen].filter((id) => isWholeAfter(id, []) && gangs.get(id)!.bound > 0),
      pods: leaving.filter(({ gang, isHeld }) => !isHeld && gang !== undefined && fallen.has(gang)),
    }];
  });
}

/** Whether all that is left of a tree may leave: no pod of it is kept, or is not known to be one that may be made to leave. */
export function mayFall({ gangs: ids }: Fall, { gangs, pods }: Running, kept: Kept): boolean {
  return ids.every((id) => {
    const own = pods.filter((pod) => pod.gang === id && !pod.isHeld && !kept(pod));
    return own.length === (gangs.get(id)?.bound ?? 0);
  });
}

type Kept = (pod: RunningPod) => boolean;
