import { join } from "node:path";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { freePorts } from "../../tools/control_plane/ports.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { ServingChild } from "../functions/child.ts";
import { gang, group } from "../support/facts.ts";
import { KeptConnections } from "../support/kept_connections.ts";

/** A gang that the store has to remember. */
const asked = group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 600 }));
const run = ["run", "-A", "--no-check"];
const paths = { stream: "/page/changes", body: "/v1/permit" };

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  for (const runtime of ["deno", "workerd"]) {
    Deno.test(`functions on ${runtime} end at ${signal} although clients keep connections`, async () => {
      await using child = new ServingChild();
      await child.start([...run, "cli/functions.ts", "--port=0", `--runtime=${runtime}`]);
      using kept = new KeptConnections();
      await kept.open(child.url, paths);
      await child.process!.kill(signal);
      assertEquals((await child.process!.exited).code, 0);
    });
  }

  Deno.test(`start ends at ${signal} although clients keep connections to both of its addresses`, async () => {
    const sandbox = await startSandbox();
    try {
      await using child = new ServingChild();
      const address = `127.0.0.1:${freePorts(["health"]).health}`;
      await child.start([
        ...run,
        "cli/start.ts",
        `--kubeconfig=${sandbox.kubeconfigPath}`,
        "--port=0",
        `--health-address=${address}`,
      ]);
      using kept = new KeptConnections();
      await kept.open(child.url, { ...paths, body: "/extender/bind" });
      await kept.open(`http://${address}`, { stream: "/metrics", body: "/healthz" });
      await child.process!.kill(signal);
      assertEquals((await child.process!.exited).code, 0);
    } finally {
      await sandbox.stop();
    }
  });
}

Deno.test("functions on workerd end when their store is removed, and begin anew", async () => {
  await using child = new ServingChild();
  const args = [...run, "cli/functions.ts", "--port=0", "--runtime=workerd"];
  await child.start(args);
  await child.ask("/v1/permit", asked);
  await Deno.remove(join(child.store, "workerd"), { recursive: true });
  assertEquals((await child.process!.exited).code, 1);
  assertStringIncludes(await child.output(), "was removed while workerd kept its store there");
  await child.start(args);
  assertEquals((await child.ask("/v1/permit", asked)).verdict, "wait");
});

Deno.test("a sandbox stops although clients keep connections and watches", async () => {
  const sandbox = await startSandbox();
  await sandbox.startScheduler();
  const kept = new KeptConnections();
  try {
    await kept.open(sandbox.url, {
      stream: "/api/v1/pods?watch=true",
      body: "/api/v1/namespaces/default/pods",
    });
    await sandbox.stop();
  } finally {
    kept[Symbol.dispose]();
  }
});
