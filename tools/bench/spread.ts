/** The middle and the ends of some numbers. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The spread of at least one number; the median of an even count is the mean of the middle two. */
export function spreadOf(values: number[]): Spread | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const min = sorted[0];
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? min;
  const high = sorted[Math.ceil(middle)] ?? max;
  return { median: (low + high) / 2, min, max };
}
