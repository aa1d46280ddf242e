/** How fast something grows, by a straight line through points. */
export interface Slope {
  /** Per unit of `x`. */
  readonly slope: number;
  /** The standard error of the slope. */
  readonly error: number;
}

/** A point of a line. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The line of least squares through at least three points with different `x`. */
export function slopeOf(points: readonly Point[]): Slope {
  const { slope, left, spread } = fit(points);
  return { slope, error: Math.sqrt(squares(left) / (points.length - 2) / spread) };
}

/**
 * The same through what follows in time, where a point is like the one before it: with so much larger an error as the points that
 * are left beside the line tell of each other (their lag-1 autocorrelation r: by the root of (1 + r) / (1 - r)).
 */
export function slopeOfSeries(points: readonly Point[]): Slope {
  const { left } = fit(points);
  const shared = left.slice(1).reduce((sum, value, index) => sum + value * left[index]!, 0);
  const r = Math.min(0.99, Math.max(0, shared / (squares(left) || 1)));
  const { slope, error } = slopeOf(points);
  return { slope, error: error * Math.sqrt((1 + r) / (1 - r)) };
}

/** One point for each `width` of `x`, at its middle: the mean of those in it, or what else `of` makes of them. */
export function binned(
  points: readonly Point[],
  width: number,
  of: (ys: number[]) => number = meanOf,
): Point[] {
  const bins = Map.groupBy(points, ({ x }) => Math.floor(x / width));
  return [...bins].map(([bin, own]) => ({ x: (bin + 0.5) * width, y: of(own.map(({ y }) => y)) }));
}

function fit(points: readonly Point[]): { slope: number; left: number[]; spread: number } {
  const [x, y] = [meanOf(points.map((point) => point.x)), meanOf(points.map((point) => point.y))];
  const spread = squares(points.map((point) => point.x - x));
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  return { slope, left: points.map((point) => point.y - y - slope * (point.x - x)), spread };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function squares(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value ** 2, 0);
}
