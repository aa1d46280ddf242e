import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { bundleWorkers, edgeEntries } from "../../cli/worker_bundle.ts";
import { musterWorker, startWorkerd } from "../../cli/workerd.ts";
import { gang, group } from "../support/facts.ts";

Deno.test("rollback: the version before goes on over what a newer one has stored, and forgets only that", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-rollback-" });
  try {
    const { worker } = await bundleWorkers({ worker: edgeEntries["worker"]! }, dir);
    const before = await Deno.readTextFile(worker.path);
    const after = before.replaceAll("group 1", "group 2");
    assert(after !== before, "the form of what is kept of a gang is not found in the bundle");
    const deployed = join(dir, "deployed.js");
    const deploy = async (version: string, gangs: number) => {
      await Deno.writeTextFile(deployed, version);
      const workers = { muster: { ...musterWorker, bundle: deployed } };
      const workerd = await startWorkerd({ dir: join(dir, "workerd"), workers });
      try {
        const url = workerd.urlOf("muster");
        // The index has the same schema in both.
        assertEquals((await read(`${url}/v1/gangs`)).gangs.length, gangs);
        assertEquals((await tell(url)).verdict, "reject");
        const { decisions } = await read(`${url}/v1/gangs/default/a`);
        // Those that it knows of.
        return decisions.length;
      } finally {
        await workerd.stop();
      }
    };
    assertEquals(await deploy(before, 0), 1);
    assertEquals(await deploy(after, 1), 1);
    assertEquals(await deploy(before, 1), 1);
    assertEquals(await deploy(before, 1), 2);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

let epoch = 0;

/** Each time otherwise, so that a version that still knows the time before has a decision more. */
function tell(url: string) {
  const facts = gang({ minMember: ++epoch + 1, pending: 1 });
  return read(`${url}/v1/prefilter`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...group(facts), relay: { id: "relay", epoch } }),
  });
}

// deno-lint-ignore no-explicit-any -- what a body is, is what the test is about
async function read(url: string, init?: RequestInit): Promise<any> {
  const response = await fetch(url, init);
  assertEquals(response.status, 200);
  return await response.json();
}
