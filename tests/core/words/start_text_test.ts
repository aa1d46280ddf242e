import { assertEquals } from "@std/assert";
import type { StartEstimate } from "../../../shared/core/gang/gang_times.ts";
import type { RunTime } from "../../../shared/core/gang/run_time.ts";
import {
  aheadText,
  expectedEnd,
  lastTime,
  lengthText,
  runTimeText,
  startText,
} from "../../../shared/core/words/start_text.ts";

const startsAt = "2026-11-22T14:10:00.000Z";
const after = "team-a/llm-7";

const starts: [estimate: StartEstimate, text: string][] = [
  [{ startsAt }, "2026-11-22 14:10 UTC"],
  [{ startsAt, after }, "2026-11-22 14:10 UTC, after gang team-a/llm-7 has ended"],
  [
    { startsAt, after, domain: "b1/r3" },
    "2026-11-22 14:10 UTC, after gang team-a/llm-7 has ended, on b1/r3",
  ],
  [
    { startsAt, after, isOverdue: true },
    "2026-11-22 14:10 UTC, after gang team-a/llm-7 has ended, which runs for longer than expected",
  ],
];

const lengths: [runTime: RunTime, text: string][] = [
  [{ seconds: 5400, source: "declared" }, "90 min, as it declares"],
  [{ seconds: 86400, source: "deadline" }, "24 h at most, by its deadline"],
  [{ seconds: 14400, source: "setting" }, "4 h, as all of which nothing is known"],
  [{ seconds: 5400, source: "learnt", runs: 14 }, "90 min, as 14 runs before"],
  [
    { seconds: 5400, source: "learnt", runs: 1, median: 3600 },
    "90 min, as 1 run before, half of which took no more than 60 min",
  ],
];

for (const [estimate, text] of starts) {
  Deno.test(`start text: ${text}`, () => assertEquals(startText(estimate), text));
}

for (const [runTime, text] of lengths) {
  Deno.test(`run time text: ${text}`, () => assertEquals(runTimeText(runTime), text));
}

Deno.test("length text: in the greatest unit of which there are two", () => {
  const texts = [0.4, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(lengthText);
  assertEquals(texts, ["0 s", "1 s", "119 s", "2 min", "120 min", "2 h", "48 h", "2 d"]);
});

Deno.test("ahead text: how long it is until then", () => {
  const now = Date.parse(startsAt);
  const ms = [-172_800_000, -180_000, -1, 0, 60_000];
  assertEquals(ms.map((after) => aheadText(startsAt, now + after)), [
    "in 2 d",
    "in 3 min",
    "in 0 s",
    "over",
    "over",
  ]);
});

Deno.test("expected end: none where nobody knows it, or lives to see it", () => {
  const last = lastTime / 1000;
  const seconds = [60, last - 1, last, Number.MAX_VALUE];
  const ends = seconds.map((seconds) => expectedEnd(0, { seconds, source: "learnt" }));
  assertEquals(ends, [60_000, lastTime - 1000, undefined, undefined]);
  assertEquals(expectedEnd(0, undefined), undefined);
});
