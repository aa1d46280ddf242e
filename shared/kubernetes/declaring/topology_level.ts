/**
 * The levels of the network that `--topology-levels` names, for what is declared by the name or the number of a level.
 *
 * @module
 */
import { isNodeLabel } from "../../core/gang/limits.ts";

/** A level, and the node label whose values are its domains. */
export interface TopologyLevel {
  /** What Koordinator and Volcano call it; the label itself where nothing else is said. */
  readonly name: string;
  readonly key: string;
}

/** No hierarchy is known. */
export const noLevels: readonly TopologyLevel[] = [];

/**
 * Reads `zone,block,rack`, the widest first; a name may stand before a label: `BlockLayer=example.com/block`.
 *
 * @throws {RangeError} that says which part is wrong.
 */
export function topologyLevels(text: string): readonly TopologyLevel[] {
  const levels = text.split(",").map((part) => {
    const [key = "", name = key, ...more] = part.trim().split("=").reverse();
    if (more.length > 0 || name === "" || !isNodeLabel(key)) {
      throw new RangeError(
        `Cannot read topology levels "${text}": "${part}" must be a node label, or <name>=<node label>`,
      );
    }
    return { name, key };
  });
  for (const field of ["name", "key"] as const) {
    const twice = levels.find((level, index) =>
      levels.findIndex((other) => other[field] === level[field]) !== index
    );
    if (twice) {
      throw new RangeError(
        `Cannot read topology levels "${text}": "${twice[field]}" is there twice`,
      );
    }
  }
  return levels;
}

/** The label of a level by its name or label; the level of a single node is known without being named. */
export function keyOfLevel(name: string, levels: readonly TopologyLevel[]): string | undefined {
  const level = levels.find((level) => level.name === name || level.key === name);
  return level?.key ?? (nodeLevels.includes(name) ? "kubernetes.io/hostname" : undefined);
}

const nodeLevels = ["NodeTopologyLayer", "kubernetes.io/hostname"];

/** The labels of the levels above one, the nearest first; none where the hierarchy does not have it. */
export function levelsAbove(key: string, levels: readonly TopologyLevel[]): string[] {
  const index = levels.findIndex((level) => level.key === key);
  return levels.slice(0, Math.max(0, index)).map((level) => level.key).reverse();
}
