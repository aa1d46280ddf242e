import { assertEquals } from "@std/assert";
import { EarlyRefusals } from "../../../shared/core/attend/early_refusals.ts";
import { times } from "../../../shared/core/attend/times.ts";
import { gang, start } from "../../support/attending.ts";

function refusalOf(name: string, at: number) {
  const pod = { namespace: "default", name };
  return { pod, gang, reason: "JustSeen", sentence: "it has just been seen", at };
}

Deno.test("a refusal of a pod that was not seen yet is known once, when it is", () => {
  const early = new EarlyRefusals();
  const refusal = refusalOf("a1", start);
  early.add("a1", refusal);
  early.add("a2", refusalOf("a2", start + times.sleeps - 1));
  assertEquals(early.take("a1"), refusal);
  assertEquals(early.take("a1"), undefined);
});

Deno.test("one of a pod that is never seen is forgotten when the scheduler has tried it by itself", () => {
  const early = new EarlyRefusals();
  early.add("a1", refusalOf("a1", start));
  early.add("a2", refusalOf("a2", start + 1));
  early.add("a3", refusalOf("a3", start + times.sleeps));
  assertEquals(early.take("a1"), undefined);
  assertEquals(early.take("a2")?.at, start + 1);
});

Deno.test("one of a pod that is refused again is kept by the later refusal", () => {
  const early = new EarlyRefusals();
  early.add("a1", refusalOf("a1", start));
  early.add("a1", refusalOf("a1", start + 1));
  early.add("a2", refusalOf("a2", start + times.sleeps));
  assertEquals(early.take("a1")?.at, start + 1);
});
