import { assertGreater } from "@std/assert";
import { runDistance } from "../../../tools/bench/distance.ts";
import { progress } from "../support/on_cluster.ts";

// `deno task bench distance` measures it with more work, where it is at least 0.9; here it must only not fall apart.
Deno.test({
  name: "gangs start about as fast with the policy functions 40 ms away",
  // The cluster's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const { near, far } = await runDistance({
      delayMs: 40,
      repetitions: 3,
      gangs: 40,
      onProgress: progress,
    });
    // Whatever else the machine does only slows: the fastest runs tell.
    assertGreater(far.max / near.max, 0.5);
  },
});
