/**
 * Histories through the pure decisions alone: `plan`, `advance` and `step` in a world of a few hundred lines. Many times as
 * many as {@linkcode ../histories/histories_test.ts} lives through, which have the real relay, store and contract.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { search } from "../search.ts";
import { found } from "./found.ts";
import { live } from "./history.ts";

/** CI has less time. */
const usual = Deno.env.get("CI") ? 1000 : 10_000;
const wanted = 10 * Number(Deno.env.get("MUSTER_HISTORIES") ?? usual);

Deno.test("property: the pure decisions alone bind gangs whole, forget nobody and come to rest", async () => {
  await search(new URL("./attending_worker.ts", import.meta.url), { runs: wanted });
});

for (const [wrong, history] of Object.entries(found)) {
  Deno.test(`property: found in the pure decisions: ${wrong}`, () => {
    assertEquals(live(history).violation, undefined);
  });
}
