import { assertEquals, assertLess } from "@std/assert";
import { bundleRelay } from "../../tools/build.ts";

/** What the image holds beside Deno should stay in sight. */
const budget = 805_000;

Deno.test("the relay's bundle is within its budget of bytes, and holds no tool", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  try {
    const { gzipBytes, inputs } = await bundleRelay(dir);
    assertLess(gzipBytes, budget, "say here why it must be larger");
    assertEquals(
      inputs.filter((input) => /node_modules\/.*(workerd|wrangler|esbuild)/.test(input)),
      [],
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
