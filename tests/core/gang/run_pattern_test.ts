import { assertEquals } from "@std/assert";
import { runPattern } from "../../../shared/core/gang/run_pattern.ts";

const table: [name: string, pattern: string][] = [
  ["nightly", "nightly"],
  ["nightly-28374650", "nightly"],
  ["nightly-28374650-x7k2p", "nightly"],
  ["llm-7", "llm"],
  ["run12", "run"],
  ["resnet50-1", "resnet50"],
  ["train-small", "train-small"],
  ["train_v2", "train_v"],
  ["train-6d4cf56db6", "train"],
  ["train-deadbeef", "train-deadbeef"],
  ["train-0a1b2c3d", "train"],
  ["tune.3f2504e0-4f89-11d3-9a0c-0305e82c3301", "tune"],
  ["2026", "2026"],
  ["7-8", "7"],
];

for (const [name, pattern] of table) {
  Deno.test(`run pattern: ${name} is like ${pattern}`, () => {
    assertEquals(runPattern({ namespace: "team-a", name }, "Job"), `team-a/Job/${pattern}`);
  });
}

Deno.test("run pattern: gangs of other namespaces, or that others control, are not alike", () => {
  const patterns = [
    runPattern({ namespace: "a", name: "x-1" }, "Job"),
    runPattern({ namespace: "b", name: "x-2" }, "Job"),
    runPattern({ namespace: "a", name: "x-3" }, undefined),
  ];
  assertEquals(new Set(patterns).size, 3);
});
