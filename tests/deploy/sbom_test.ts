import { assertEquals, assertMatch } from "@std/assert";
import { installedLicense, licensesIn, sbomOf } from "../../tools/sbom.ts";
import { bundleRelay } from "../../tools/build.ts";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";

const lock = JSON.parse(await Deno.readTextFile(new URL("../../deno.lock", import.meta.url)));

/** Licenses that ask for no more than to be named. */
const accepted = ["MIT", "Apache-2.0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Unlicense"];

Deno.test("bill of materials: every package of the lock file, and an accepted license of each that is shipped", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-sbom-" });
  try {
    const { worker } = await bundleWorkers({ worker: edgeEntries["worker"]! }, dir);
    const relay = await bundleRelay(dir);
    const inputs = [...worker.inputs, ...relay.inputs];
    const bom = await sbomOf(lock, { inputs, licenseOf: installedLicense });
    assertEquals(bom.components.length, Object.keys(lock.npm).length);
    for (const { purl, hashes } of bom.components) {
      assertMatch(purl, /^pkg:npm\/(%40[^/]+\/)?[^@/]+@\d+\.\d+\.\d+/);
      assertMatch(hashes[0]!.content, /^[\da-f]{128}$/);
    }
    const shipped = bom.components.filter(({ scope }) => scope === "required");
    for (const name of ["hono", "valibot", "commander", "@kubernetes/client-node"]) {
      assertEquals(shipped.some((component) => component.name === name), true, name);
    }
    for (const { name, licenses } of shipped) {
      const expression = licenses?.[0]?.expression ?? "none";
      assertEquals(accepted.includes(expression), true, `${name}: ${expression}`);
    }
    assertMatch(licensesIn(bom), /^MIT \d+/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
