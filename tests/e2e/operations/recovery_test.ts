import { assertEquals } from "@std/assert";
import { recoveryTable, runRecovery } from "../../../tools/bench/recovery.ts";
import { progress } from "../support/on_cluster.ts";

/** Times the scheduler's own restart; docs/benchmarks.md has what was measured, and this is about three times that. */
const most = 15;

Deno.test({
  name: "whatever is killed, a gang is bound soon after",
  // The cluster's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const rows = await runRecovery({ repetitions: 1, onProgress: progress });
    assertEquals(rows.length, 7);
    assertEquals(rows.filter(({ ratio }) => ratio > most), [], recoveryTable(rows));
  },
});
