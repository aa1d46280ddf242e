import { assertEquals, assertRejects } from "@std/assert";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { Node } from "../../tools/sandbox/objects.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { sandboxWorld } from "../../tools/sandbox/world.ts";
import { tellStory, type World } from "../../tools/story.ts";
import { BareExtender, STRICT, withSandbox } from "./support.ts";

function test(name: string, body: (sandbox: Sandbox, extender: BareExtender) => Promise<void>) {
  Deno.test(name, STRICT, () =>
    withSandbox(async (sandbox) => {
      await using extender = new BareExtender();
      await body(sandbox, extender);
    }));
}

function worldWith(sandbox: Sandbox, extender: BareExtender): World {
  return { ...sandboxWorld(sandbox, ""), startMuster: () => Promise.resolve(extender.url) };
}

/** Lets no node pass before five pods and eight GPUs are there. */
function refuseUntilWhole(sandbox: Sandbox, extender: BareExtender): void {
  extender.filter = ({ NodeNames }) => {
    const nodes = sandbox.server.store.list("nodes") as Node[];
    const gpus = nodes.reduce(
      (sum, node) => sum + Number(node.status.allocatable?.["nvidia.com/gpu"]),
      0,
    );
    if (sandbox.pods().length === 5 && gpus >= 8) return { NodeNames };
    const why = `gang default/tf-smoke-gpu lacks pods or room`;
    const refused = (NodeNames as string[]).map((node) => [node, why]);
    return { NodeNames: [], FailedAndUnresolvableNodes: Object.fromEntries(refused) };
  };
}

async function bindHeld(sandbox: Sandbox, extender: BareExtender): Promise<void> {
  for (const { PodName, PodNamespace, Node } of extender.calls.bind ?? []) {
    await callApi(`${sandbox.url}/api/v1/namespaces/${PodNamespace}/pods/${PodName}/binding`, {
      method: "POST",
      body: { metadata: { name: PodName }, target: { kind: "Node", name: Node } },
    });
    extender.held.get(String(PodName))?.("");
  }
}

test("the story comes true with an extender that holds a gang together", async (
  sandbox,
  extender,
) => {
  refuseUntilWhole(sandbox, extender);
  const told: string[] = [];
  const whole = extender.until("five held bind calls", () => extender.held.size === 5)
    .then(() => bindHeld(sandbox, extender));
  await tellStory(worldWith(sandbox, extender), (who, what) => told.push(`${who}: ${what}`));
  await whole;
  assertEquals(told.filter((line) => line.startsWith("act: ")).length, 3);
  assertEquals(
    told.filter((line) => line.startsWith("muster: ") && line.includes("lacks pods or room")),
    [
      "muster: tf-smoke-gpu-ps-0, tf-smoke-gpu-worker-0, tf-smoke-gpu-worker-1, tf-smoke-gpu-worker-2, " +
      "tf-smoke-gpu-worker-3: 0/2 nodes are available: 2 gang default/tf-smoke-gpu lacks pods or room.",
    ],
  );
});

test("the story fails when a pod of a gang that is not whole is bound", async (
  sandbox,
  extender,
) => {
  refuseUntilWhole(sandbox, extender);
  const world = worldWith(sandbox, extender);
  let calls = 0;
  const bindings = world.bindings;
  world.bindings = async () => [...await bindings(), ...++calls > 1 ? ["worker-0"] : []];
  await assertRejects(
    () => tellStory(world, () => {}),
    Error,
    `Expected that no pod was bound, but these were: "worker-0"`,
  );
});

test("the story fails when no sentence names the gang", async (sandbox, extender) => {
  extender.filter = () => ({ NodeNames: [] });
  await assertRejects(
    () => tellStory(worldWith(sandbox, extender), () => {}),
    Error,
    `a reason names the gang "default/tf-smoke-gpu"`,
  );
});
