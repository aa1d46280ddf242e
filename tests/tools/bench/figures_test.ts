import { assertEquals } from "@std/assert";
import { figuresOf, overtakenGangs, partialGangs } from "../../../tools/bench/figures.ts";
import { gangRecord, runRecord } from "./records.ts";

function namesOf(gangs: { name: string }[]): string[] {
  return gangs.map(({ name }) => name);
}

Deno.test("figuresOf() takes the time and the throughput from the start until the last binding", () => {
  const run = runRecord([gangRecord("a", [100, 200]), gangRecord("b", [300, 500])], {
    endedAt: 500,
  });
  const { seconds, podsPerSecond } = figuresOf(run);
  assertEquals({ seconds, podsPerSecond }, { seconds: 0.5, podsPerSecond: 8 });
});

Deno.test("figuresOf() gives neither for a run that was given up", () => {
  const figures = figuresOf(runRecord([gangRecord("a", [100])], { isStuck: true }));
  assertEquals(figures.seconds, undefined);
  assertEquals(figures.podsPerSecond, undefined);
});

Deno.test("partialGangs() names gangs that wait with bound members while every GPU is bound", () => {
  const run = runRecord([
    gangRecord("first", [1, 2], { deletedAt: [50, 50] }),
    gangRecord("waits", [3, 60]),
    gangRecord("last", [4, 61]),
  ]);
  assertEquals(namesOf(partialGangs(run)), ["waits", "last"]);
});

Deno.test("partialGangs() passes gangs whose bindings are written at the same time", () => {
  const run = runRecord([
    gangRecord("a", [1, 3], { deletedAt: [50, 50] }),
    gangRecord("b", [2, 4]),
    // Bound into the room of "a".
    gangRecord("c", [50, 51]),
  ]);
  assertEquals(partialGangs(run), []);
});

Deno.test("partialGangs() names what is bound in part at the end, the impossible gang too", () => {
  const run = runRecord([gangRecord("a", [1])], { impossible: gangRecord("impossible", [2]) });
  assertEquals(namesOf(partialGangs(run)), ["impossible", "a"].sort());
});

Deno.test("overtakenGangs() names a gang that another left without room", () => {
  const gangs = [
    gangRecord("runs", [1, 2], { deletedAt: [50, 50] }),
    gangRecord("runs-on", [1, 2]),
    gangRecord("ahead", [90, 91], { completedRevision: 10 }),
    gangRecord("behind", [60, 61], { completedRevision: 11 }),
  ];
  assertEquals(namesOf(overtakenGangs(runRecord(gangs))), ["ahead"]);
  const roomForBoth = runRecord(gangs, { gpus: 6 });
  assertEquals(overtakenGangs(roomForBoth), []);
});

for (
  const [why, ahead, behind] of [
    ["that was complete later", { completedRevision: 12 }, {}],
    ["of a lower priority", { priority: "bench-low" }, { priority: "bench-high" }],
    ["that was created later", { creationTimestamp: "2026-01-01T00:00:01Z" }, {}],
    ["that takes more room", { gpus: 2 }, {}],
  ] as const
) {
  Deno.test(`overtakenGangs() passes a gang ${why}`, () => {
    const run = runRecord([
      gangRecord("runs", [1, 2]),
      gangRecord("ahead", [90, 91], { completedRevision: 10, ...ahead }),
      gangRecord("behind", [60, 61], { completedRevision: 11, ...behind }),
    ]);
    assertEquals(overtakenGangs(run), []);
  });
}

Deno.test("lostGpuSeconds counts what gangs that never became whole held and had bound", () => {
  const run = runRecord([gangRecord("whole", [100, 200]), gangRecord("half", [600])], {
    impossible: gangRecord("impossible", [], { gpus: 3 }),
    holds: [
      { gang: "whole", gpus: 1, from: 0, to: 100 },
      { gang: "impossible", gpus: 3, from: 500, to: 700 },
    ],
  });
  // 1 GPU for 0.4 s and 3 GPUs for 0.2 s.
  assertEquals(figuresOf(run).lostGpuSeconds, 1);
});
