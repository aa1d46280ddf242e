import { assertEquals } from "@std/assert";
import { blocksOf, readLoopWatch } from "../../../tools/bench/loop_blocks.ts";

Deno.test("blocksOf() tells what a loop was blocked for from what it only waited for, by part", () => {
  const { gaps, heaps } = readLoopWatch(
    [
      { at: 5, wallMs: 300, waitedMs: 290, cpuMs: 9 },
      { at: 10, heapMebibytes: 40 },
      { at: 10, wallMs: 100, waitedMs: 20, cpuMs: 30 },
      { at: 12, wallMs: 70, waitedMs: 5, cpuMs: 60 },
    ].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  assertEquals(heaps, [{ at: 10, heapMebibytes: 40 }]);
  const parts = [{ name: "first", from: 0 }, { name: "second", from: 10 }];
  const { first, second } = blocksOf(gaps, parts);
  assertEquals(first!.longestWallMs, 300);
  assertEquals(first!.longestOwnMs, 10);
  assertEquals([first!.over50Wall, first!.over50Own, first!.over50Cpu], [1, 0, 0]);
  assertEquals(second!.longestOwnMs, 80);
  assertEquals(second!.longestCpuMs, 60);
  assertEquals([second!.over50Wall, second!.over50Own, second!.over50Cpu], [2, 2, 1]);
});
