/** How fast something grows, by a straight line through points. */
export interface Slope {
  /** Per unit of `x`. */
  readonly slope: number;
  /** The standard error of the slope. */
  readonly error: number;
}

/** The line of least squares through at least three points with different `x`. */
export function slopeOf(points: readonly { x: number; y: number }[]): Slope {
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  const slope = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread;
  const left = points.reduce((sum, point) => sum + (point.y - y - slope * (point.x - x)) ** 2, 0);
  return { slope, error: Math.sqrt(left / (points.length - 2) / spread) };
}
