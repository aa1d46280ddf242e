import { assertEquals } from "@std/assert";
import { summaryTables, targetTable } from "../../../tools/bench/report.ts";
import { spreadOf } from "../../../tools/bench/spread.ts";
import { othersShare, summarize } from "../../../tools/bench/summary.ts";
import { targetResults } from "../../../tools/bench/targets.ts";
import { gangRecord, runRecord } from "./records.ts";

/** A run whose two pods take this long. */
function runOf(system: string, work: string, endedAt: number) {
  return runRecord([gangRecord("a", [1, endedAt])], { system, work, endedAt });
}

Deno.test("spreadOf() takes the middle, or the mean of the middle two", () => {
  assertEquals(spreadOf([3, 1, 10]), { median: 3, min: 1, max: 10 });
  assertEquals(spreadOf([4, 1, 2, 10]), { median: 3, min: 1, max: 10 });
  assertEquals(spreadOf([]), undefined);
});

Deno.test("summaryTables() shows medians, ends and what went wrong", () => {
  const runs = [
    ...[1000, 3000, 2000].map((endedAt) => runOf("ungated", "contended", endedAt)),
    runRecord([gangRecord("a", [1])], { system: "plain", isStuck: true, cpuSeconds: {} }),
  ];
  assertEquals(
    summaryTables(summarize(runs)),
    [
      "contended: 25 nodes of 8 GPUs, 100 gangs of 8 pods of 1 GPU; a gang ends 1 s after it is whole",
      "",
      "| system  | s until all bound | pods/s  | stuck  | partial gangs | overtaken gangs | CPU s      | CPU ms a pod  |",
      "| ------- | ----------------- | ------- | ------ | ------------- | --------------- | ---------- | ------------- |",
      "| ungated | 2.00 (1.00–3.00)  | 1 (1–2) | 0 of 3 | 0             | 0               | muster 2.0 | muster 1000.0 |",
      "| plain   | –                 | –       | 1 of 1 | 1             | 0               |            |               |",
    ].join("\n"),
  );
});

Deno.test("targetResults() compares medians with the other systems, the ideal, and the work without the impossible gang", () => {
  const runs = [
    runOf("native", "contended", 4000),
    runOf("ungated", "contended", 4400),
    runOf("plain", "free", 1000),
    runOf("native", "free", 2000),
    runOf("ungated", "free", 1250),
    runOf("ungated", "mix", 1900),
    runOf("ungated", "mix-impossible", 2000),
    { ...runOf("native", "long", 33_000), cpuSeconds: { muster: 2, bench: 1, others: 8 } },
    { ...runOf("ungated", "long", 31_500), cpuSeconds: { muster: 1, bench: 2, others: 9 } },
  ];
  const recorded = [
    runRecord([gangRecord("a", [1, 2])], {
      impossible: gangRecord("impossible", []),
      holds: [{ gang: "impossible", gpus: 1, from: 0, to: 500 }],
    }),
  ];
  assertEquals(
    targetTable(targetResults(summarize(runs), recorded)),
    [
      "| system  | goal                                           | value   | met |",
      "| ------- | ---------------------------------------------- | ------- | --- |",
      "| ungated | contended: time to native's <= 1.2             | 1.10    | yes |",
      "| ungated | long: time to native's <= 1                    | 0.95    | yes |",
      "| ungated | long: time to the ideal <= 1.07                | 1.05    | yes |",
      "| ungated | long: CPU s to native's <= 0.4                 | 0.50    | no  |",
      "| ungated | free: pods/s to plain's >= 0.8                 | 0.80    | yes |",
      "| ungated | free: pods/s to native's >= 1.3                | 1.60    | yes |",
      "| ungated | free: CPU ms of Muster a pod <= 1              | 1000.00 | no  |",
      "| ungated | mix-impossible: pods/s to those of mix >= 0.95 | 0.95    | yes |",
      "| ungated | partial gangs = 0                              | 0.00    | yes |",
      "| ungated | overtaken gangs = 0                            | 0.00    | yes |",
      "| ungated | GPU-seconds lost = 0                           | 0.50    | no  |",
    ].join("\n"),
  );
});

Deno.test("othersShare() is what other processes used of all CPU time that was used", () => {
  const runs = [{ muster: 2, bench: 1, others: 1 }, { muster: 2, bench: 0, others: 2 }]
    .map((cpuSeconds) => runRecord([], { cpuSeconds }));
  assertEquals(othersShare(runs), 3 / 8);
});
