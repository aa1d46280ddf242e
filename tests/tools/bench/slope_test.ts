import { assertEquals } from "@std/assert";
import { slopeOf } from "../../../tools/bench/slope.ts";

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
