import { assertEquals } from "@std/assert";
import { wellFormed } from "../../shared/http/well_formed.ts";
import { gang, group } from "../support/facts.ts";
import { Service } from "./service.ts";

Deno.test("half a character, and NUL, are read as U+FFFD, whatever host keeps them", async () => {
  await using service = new Service();
  const message = "odd \ud800 and \udc00\ud83d\0.";
  const facts = group(gang({ problem: { reason: "BadQuorum", message } }));
  assertEquals(JSON.stringify(facts).includes("\\ud800"), true);
  const answer = await service.post("/v1/prefilter", facts);
  assertEquals(answer.body.message, "odd \ufffd and \ufffd\ufffd\ufffd.");
  // The service compares what both hosts have kept.
  const kept = await service.request("/v1/gangs/default/a");
  assertEquals(kept.body.message, "odd \ufffd and \ufffd\ufffd\ufffd.");
});

Deno.test("wellFormed() leaves alone what is no half of a character", () => {
  for (const text of ['"\\ud83d\\ude00"', '"\\\\ud800"', '"\\u0041\\n"', '{"a":[1]}', "\\", ""]) {
    assertEquals(wellFormed(text), text);
  }
  assertEquals(wellFormed('"\\\\\\uD800\\u0041"'), '"\\\\\\ufffd\\u0041"');
});
