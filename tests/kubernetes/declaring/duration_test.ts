import { assertEquals } from "@std/assert";
import { durationSeconds } from "../../../shared/kubernetes/declaring/duration.ts";

const durations: [text: string, seconds: number | undefined][] = [
  ["3600s", 3600],
  ["1h30m", 5400],
  ["1.5h", 5400],
  ["100ms", 0.1],
  ["1m0.5s", 60.5],
  ["0s", 0],
  ["1h1h", 7200],
  ["", undefined],
  ["10", undefined],
  ["s", undefined],
  ["-1s", undefined],
  ["1 h", undefined],
  ["1d", undefined],
  ["1h30", undefined],
];

for (const [text, seconds] of durations) {
  Deno.test(`duration "${text}" is ${seconds} s`, () =>
    assertEquals(durationSeconds(text), seconds));
}
