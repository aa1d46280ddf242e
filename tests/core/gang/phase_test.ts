import { assertEquals } from "@std/assert";
import { phaseOf } from "../../../shared/core/gang/phase.ts";
import { phaseCases } from "../../conformance/cases/phase_cases.ts";
import { gang } from "../../support/facts.ts";

for (const [id, given, expect] of phaseCases) {
  Deno.test(`phase: ${id}`, () => {
    assertEquals(phaseOf(gang(given)), expect);
  });
}
