/**
 * Ranks of several numbers, and lists that are told apart.
 *
 * @module
 */

/** Compares ranks number by number: the first that differs decides. */
export function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** Those of which it is so, and the others. */
export function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
