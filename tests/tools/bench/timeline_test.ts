import { assertEquals, assertStringIncludes } from "@std/assert";
import { timelineOf } from "../../../tools/bench/timeline.ts";
import { timelineSvg } from "../../../tools/bench/timeline_svg.ts";
import { gangRecord, runRecord } from "./records.ts";

Deno.test("timelineOf() tells GPUs of whole gangs from those of others", () => {
  const run = runRecord([
    gangRecord("a", [100, 200], { deletedAt: [400, 400] }),
    gangRecord("never", [300]),
  ], { holds: [{ gang: "a", gpus: 1, from: 50, to: 100 }] });
  assertEquals(timelineOf(run, { until: 500, count: 5 }), [
    { running: 0, held: 0.5 },
    { running: 0, held: 1 },
    { running: 2, held: 0 },
    { running: 2, held: 1 },
    { running: 0, held: 1 },
  ]);
});

Deno.test("timelineOf() never shows more GPUs than there are", () => {
  const run = runRecord([gangRecord("a", [0, 0])], {
    gpus: 2,
    holds: [{ gang: "a", gpus: 1, from: 0, to: 100 }],
  });
  assertEquals(timelineOf(run, { until: 100, count: 1 }), [{ running: 2, held: 0 }]);
});

Deno.test("timelineSvg() draws a panel for each run, on the time of the longest that ended", () => {
  const gangs = [gangRecord("a", [0, 500])];
  const svg = timelineSvg([
    runRecord(gangs, { system: "plain", isStuck: true, endedAt: 9000 }),
    runRecord(gangs, { system: "ungated", endedAt: 2000 }),
  ]);
  assertStringIncludes(svg, "<title>plain, contended: 4 GPUs, 2.0 s</title>");
  assertStringIncludes(svg, "<title>ungated, contended: 4 GPUs, 2.0 s</title>");
  assertStringIncludes(svg, "0 to 2.0 s, given up");
  // 2 of 4 GPUs run from 0.5 s on: half of the height, down to the last pixel.
  assertStringIncludes(svg, "V40h1V80z");
});
