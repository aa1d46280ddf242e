import { assert, assertEquals } from "@std/assert";
import { binned, slopeOf, slopeOfSeries } from "../../../tools/bench/slope.ts";

const points = (ys: number[]) => ys.map((y, x) => ({ x, y }));

Deno.test("slopeOf() is exact on a line, and without error there", () => {
  assertEquals(slopeOf(points([3, 5, 7, 9])), { slope: 2, error: 0 });
});

Deno.test("slopeOf() gives the standard error of points beside a line", () => {
  // The line is 0.7 + 0.2 x; 0.3, -0.9, 0.9 and -0.3 are left, whose squares sum to 1.8, and those of x to 5.
  const { slope, error } = slopeOf(points([1, 0, 2, 1]));
  const rounded = [slope, error].map((value) => value.toFixed(9));
  assertEquals(rounded, [0.2, Math.sqrt(1.8 / 2 / 5)].map((value) => value.toFixed(9)));
});

Deno.test("slopeOfSeries() has the same slope, and a larger error where points are like those before them", () => {
  const scattered = points([1, -1, 1, -1, 1, -1, 1, -1]);
  assertEquals(slopeOfSeries(scattered), slopeOf(scattered));
  const waves = points([0, 1, 2, 1, 0, -1, -2, -1, 0, 1, 2, 1, 0]);
  const [naive, series] = [slopeOf(waves), slopeOfSeries(waves)];
  assertEquals(series.slope, naive.slope);
  assert(series.error > 1.5 * naive.error, `${series.error} and ${naive.error}`);
});

Deno.test("binned() makes one point of those that are near each other", () => {
  const ys = points([1, 3, 10, 20, 7]);
  assertEquals(binned(ys, 2), [{ x: 1, y: 2 }, { x: 3, y: 15 }, { x: 5, y: 7 }]);
  const lowest = (values: number[]) => Math.min(...values);
  assertEquals(binned(ys, 2, lowest).map(({ y }) => y), [1, 10, 7]);
});
