import { assert, assertEquals, assertGreater } from "@std/assert";
import { runContention } from "../../../tools/bench/contention.ts";
import { summarize } from "../../../tools/bench/summary.ts";
import { progress } from "../support/on_cluster.ts";

// `deno task bench contention` measures it, where it is at least 0.8; here it must only not fall apart.
Deno.test({
  name: "gangs start not much slower than pods alone, for less CPU time than the API server takes",
  // The cluster's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const dir = await Deno.makeTempDir({ prefix: "muster-throughput-" });
    try {
      const { measured } = await runContention({
        dir,
        systems: ["plain", "adaptive"],
        works: ["free"],
        repetitions: 1,
        isRecorded: false,
        onProgress: progress,
      });
      const [plain, muster] = summarize(measured);
      assertEquals([plain?.stuck, muster?.stuck, muster?.partialGangs], [0, 0, 0]);
      assertGreater(muster!.podsPerSecond!.median / plain!.podsPerSecond!.median, 0.3);
      const { muster: own, "kube-apiserver": server } = muster!.cpuSeconds;
      assert(own! < 1.2 * server!, `Muster took ${own} CPU s, and the API server ${server}`);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
