import { assertEquals, assertGreater } from "@std/assert";
import { coldTable, runCold } from "../../../tools/bench/cold.ts";

Deno.test("bench cold: a stage answers on a workerd of its own, and takes more than an empty Worker", async () => {
  const rows = await runCold({ repetitions: 1, onProgress: () => {} });
  assertEquals(rows.map(({ stage }) => stage), ["permit", "prefilter"]);
  for (const { own, empty } of rows) {
    assertGreater(own.min, 0);
    assertGreater(empty.min, 0);
  }
  assertEquals(coldTable(rows).split("\n").length, rows.length + 2);
});
