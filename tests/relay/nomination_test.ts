import { assertEquals } from "@std/assert";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { sleep } from "../../tools/sleep.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

/** Says of a pod that victims leave for it on a node, as the scheduler does. */
async function nominate(world: RelayWorld, name: string, node: string): Promise<void> {
  await callApi(`${world.sandbox.url}/api/v1/namespaces/default/pods/${name}/status`, {
    method: "PATCH",
    contentType: STRATEGIC_MERGE,
    body: { status: { nominatedNodeName: node } },
  });
}

/** Resolves when nobody leaves for the pod any more. */
async function untilNotNominated(world: RelayWorld, name: string): Promise<void> {
  await world.until(`"${name}" has no nomination`, () => !world.pod(name).status.nominatedNodeName);
}

relayTest(
  "a member whose gang is not let in keeps no room by its nomination",
  { nodes: { "node-1": 2 }, scheduler: false },
  async (world) => {
    await world.create("alone-0", { gpus: 1, gang: { name: "alone", minAvailable: 2 } });
    await world.create("regular", { gpus: 1 });
    await nominate(world, "regular", "node-1");
    await nominate(world, "alone-0", "node-1");
    await untilNotNominated(world, "alone-0");
    assertEquals(world.pod("regular").status.nominatedNodeName, "node-1");
  },
);

relayTest(
  "a nomination that could not be taken back is when the API server writes again",
  { nodes: { "node-1": 2 }, scheduler: false },
  async (world) => {
    await world.create("alone-0", { gpus: 1, gang: { name: "alone", minAvailable: 2 } });
    const said = "Cannot write the nomination of pod default/alone-0: HTTP 503";
    const { server } = world.sandbox;
    await nominate(world, "alone-0", "node-1");
    server.intercept = ({ method }) =>
      method === "PATCH" ? new Response("no leader", { status: 503 }) : undefined;
    while (!world.log.includes(said)) await sleep(100);
    server.intercept = undefined;
    await untilNotNominated(world, "alone-0");
  },
);

relayTest(
  "a nominated member that sleeps although there is room is woken: the scheduler may miss that its victims have left",
  { nodes: { "node-1": 2 }, scheduler: false },
  async (world) => {
    await world.createGang("high", { size: 2, gpus: 1 });
    await nominate(world, "high-0", "node-1");
    await untilNotNominated(world, "high-0");
  },
);
