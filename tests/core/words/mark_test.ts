import { assertLess } from "@std/assert";
import { limits } from "../../../shared/core/gang/limits.ts";
import { marked } from "../../../shared/core/words/mark.ts";

Deno.test("sentence: what the scheduler is told is short, whatever it quotes", () => {
  const sentence = marked(`binding to node-1 failed: ${"x".repeat(200_000)}`);
  assertLess(sentence.length, limits.sentence + "Muster: ".length + 1);
});
