import { assertEquals, assertStringIncludes } from "@std/assert";
import { freePorts } from "../../../tools/control_plane/ports.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";
import { until } from "../support/until.ts";

const { health } = freePorts(["health"]);
const scenario = onCluster(() => ({
  nodes: { "node-1": 4 },
  muster: { extraArgs: [`--health-address=127.0.0.1:${health}`] },
}));

/** The status and text of what kubelet would ask. */
async function asked(path: string): Promise<[status: number, text: string]> {
  const response = await fetch(`http://127.0.0.1:${health}${path}`);
  return [response.status, await response.text()];
}

scenario(
  "a relay that starts while the API server is away says so, waits for it, and schedules when it is there",
  async ({ cluster: { controlPlane, muster }, space }) => {
    await muster.kill();
    await controlPlane.processes.findLast(({ name }) => name === "kube-apiserver")!.kill();
    const { process, listens } = muster.launch();
    await until("the relay waits", async () => (await asked("/readyz"))[0] === 503);
    const [, why] = await asked("/readyz");
    assertStringIncludes(why, `the API server at "${controlPlane.server}" does not answer`);
    assertEquals(await asked("/healthz"), [200, "ok"]);
    const apiServer = controlPlane.launch("kube-apiserver");
    await apiServer.orFailure((signal) => controlPlane.untilServing(signal));
    await process.orFailure(() => listens);
    const members = membersOf("late", 2);
    await space.createGang("late", { size: 2, gpus: 1 });
    await space.untilBound(members);
    assertEquals(muster.process.pid, process.pid);
    assertEquals((await asked("/readyz"))[0], 200);
  },
);
