/**
 * Histories through the pure decisions, for faults that no other test of the core notices.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { histories, live } from "../property/attending/history.ts";

const sample = fc.sample(histories, { numRuns: 200, seed: 1 });

Deno.test("mutants: histories through the pure decisions", () => {
  for (const history of sample) assertEquals(live(history).violation, undefined);
});
