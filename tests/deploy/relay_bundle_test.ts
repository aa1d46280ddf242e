import { assertEquals, assertLess, assertMatch } from "@std/assert";
import { join } from "node:path";
import { bundleRelay } from "../../tools/build.ts";

/** What the image holds beside Deno should stay in sight. */
const budget = 800_000;

Deno.test("the relay's bundle runs where there is nothing but Deno, and is within its budget of bytes", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-bundle-" });
  try {
    const { path, gzipBytes, inputs } = await bundleRelay(join(dir, "dist"));
    assertLess(gzipBytes, budget, "say here why it must be larger");
    assertEquals(
      inputs.filter((input) => /node_modules\/.*(workerd|wrangler|esbuild)/.test(input)),
      [],
    );
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-config", "--no-remote", "--no-npm", "--allow-env", path, "--help"],
      cwd: dir,
    }).output();
    assertEquals(success, true);
    assertMatch(new TextDecoder().decode(stdout), /--functions-url/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
