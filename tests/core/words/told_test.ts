import { assertLess } from "@std/assert";
import { limits } from "../../../shared/core/gang/limits.ts";
import { told } from "../../../shared/core/words/told.ts";

Deno.test("sentence: what the scheduler is told is short, whatever it quotes", () => {
  const sentence = told(`binding to node-1 failed: ${"x".repeat(200_000)}`);
  assertLess(sentence.length, limits.sentence + "Muster: ".length + 1);
});
