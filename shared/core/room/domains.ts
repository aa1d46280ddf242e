/**
 * Nodes by the domains of a topology.
 *
 * @module
 */

import { labelOf } from "../gang/label.ts";
import type { Topology } from "../gang/topology.ts";

/** The labels of a node, by its name. */
export type Labels = (node: string) => Readonly<Record<string, string>>;

/** The domains of one key. */
export class Domains {
  /** In words: the values of its labels, the widest first. */
  readonly names: readonly string[];
  /** Nodes by domain. */
  readonly nodes: readonly (readonly number[])[];
  readonly #path: readonly string[];
  readonly #of: readonly number[];

  constructor(path: readonly string[], names: readonly (string | undefined)[]) {
    this.#path = path;
    const numbers = new Map<string, number>();
    const nodes: number[][] = [];
    this.#of = names.map((name, node) => {
      if (name === undefined) return -1;
      const number = numbers.get(name) ?? nodes.push([]) - 1;
      numbers.set(name, number);
      nodes[number]!.push(node);
      return number;
    });
    this.names = [...numbers.keys()];
    this.nodes = nodes;
  }

  /** Below 0: the node is in none. */
  of(node: number): number {
    return this.#of[node] ?? -1;
  }

  /** Whether nodes that have changed are in the same domains as before. */
  isStill(changed: Iterable<number>, labelsOf: NumberedLabels): boolean {
    for (const node of changed) {
      const name = domainName(this.#path, labelsOf(node));
      if (name !== (this.of(node) < 0 ? undefined : this.names[this.of(node)])) return false;
    }
    return true;
  }
}

/** The labels of a node, by its number. */
type NumberedLabels = (node: number) => Readonly<Record<string, string>>;

/** The domains of the last key of the path. */
export function domainsOf(
  path: readonly string[],
  { size, labelsOf }: { size: number; labelsOf: NumberedLabels },
): Domains {
  const names = Array.from({ length: size }, (_, node) => domainName(path, labelsOf(node)));
  return new Domains(path, names);
}

/**
 * The keys whose values name a domain of this one, the widest first: names repeat from domain to domain of a wider level, one
 * of the hierarchy's or one that is wanted less.
 */
export function pathOf(
  key: string,
  { topology: { preferred = [] }, levels }: { topology: Topology; levels: readonly string[] },
): readonly string[] {
  const level = levels.indexOf(key);
  if (level >= 0) return levels.slice(0, level + 1);
  const wanted = preferred.indexOf(key);
  return wanted >= 0 ? preferred.slice(wanted).toReversed() : [key];
}

/** The domain of the last key of the path that has these labels; a node without the label itself is in none. */
export function domainName(
  path: readonly string[],
  labels: Readonly<Record<string, string>>,
): string | undefined {
  if (path.length === 1) return labelOf(labels, path[0]!);
  if (labelOf(labels, path.at(-1)!) === undefined) return undefined;
  return path.map((key) => labelOf(labels, key) ?? "").join("/");
}
