import { assertEquals, assertStringIncludes } from "@std/assert";
import { times } from "../../shared/core/attend/times.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

interface Filtered {
  readonly NodeNames: readonly string[];
  readonly FailedAndUnresolvableNodes?: Readonly<Record<string, string>>;
}

/** Nodes that take a launcher, or a worker that needs a GPU; and these two, which are a gang. */
async function worldOfTwo(world: RelayWorld, gpuNodes: readonly string[]) {
  for (const name of gpuNodes) await world.sandbox.addNode({ name, cpu: 3, gpus: 1 });
  await world.sandbox.addNode({ name: "cpu", cpu: 2 });
  const create = (name: string, gpus: number) => {
    const resources = { requests: { cpu: 2 }, limits: { "nvidia.com/gpu": gpus } };
    const containers = [{ name: "main", resources }];
    return world.create(name, { gang: { name: "mpi", minAvailable: 2 }, spec: { containers } });
  };
  const launcher = await create("launcher", 0);
  const worker = await create("worker", 1);
  const untilLetIn = () =>
    untilReady(
      () => Promise.resolve(world.logged.some(({ message }) => message.includes("may be"))),
      { what: "the gang, let in", signal: new AbortController().signal },
    );
  const filter = async (Pod: object, NodeNames: readonly string[]) =>
    (await world.call("/extender/filter", { Pod, NodeNames })).answer as Filtered;
  return { launcher, worker, untilLetIn, filter };
}

relayTest(
  "a gang of differing members is placed as planned from the first round on",
  { scheduler: false },
  async (world) => {
    const { launcher, worker, untilLetIn, filter } = await worldOfTwo(world, ["gpu"]);
    await untilLetIn();
    assertEquals((await filter(launcher, ["gpu", "cpu"])).NodeNames, ["cpu"]);
    assertEquals((await filter(worker, ["gpu"])).NodeNames, ["gpu"]);
  },
);

relayTest(
  "a member whose planned node the scheduler does not take is planned elsewhere, and woken",
  { scheduler: false },
  async (world) => {
    const { worker, untilLetIn, filter } = await worldOfTwo(world, ["gpu-1", "gpu-2"]);
    await untilLetIn();
    const [planned] = (await filter(worker, ["gpu-1", "gpu-2"])).NodeNames;
    const other = planned === "gpu-1" ? "gpu-2" : "gpu-1";
    const refused = await filter(worker, [other]);
    assertEquals(refused.NodeNames, []);
    assertStringIncludes(Object.values(refused.FailedAndUnresolvableNodes!)[0]!, "planned anew");
    await world.until(
      "the worker is woken",
      () => world.pod("worker").metadata.annotations?.["muster.scheduling/poked"] !== undefined,
    );
    // The nodes have just come, of which the scheduler may not have heard: nothing is learnt at once.
    await untilReady(
      async () => (await filter(worker, [other])).NodeNames?.length === 1,
      { what: "a plan with the other node", signal: new AbortController().signal },
    );
    assertEquals((await filter(worker, ["gpu-1", "gpu-2"])).NodeNames, [other]);
  },
);

relayTest(
  "a member whose planned node is not among the many that the scheduler looked at is told how to have all looked at",
  { scheduler: false },
  async (world) => {
    const { worker, untilLetIn, filter } = await worldOfTwo(world, ["gpu"]);
    await untilLetIn();
    const sample = Array.from({ length: 100 }, (_, index) => `other-${index}`);
    const refused = await filter(worker, sample);
    assertEquals(refused.NodeNames, []);
    assertEquals(
      refused.FailedAndUnresolvableNodes!["other-0"],
      "Muster: gang default/mpi is planned on gpu, which is not among the 100 nodes that the scheduler looked at: " +
        "set its percentageOfNodesToScore to 100",
    );
    assertEquals((await filter(worker, [...sample, "gpu"])).NodeNames, ["gpu"]);
  },
);

relayTest(
  "a member that comes to be bound where its gang is not planned any more is refused, and woken",
  { scheduler: false, nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    const annotations = { "muster.scheduling/required-topology": "kubernetes.io/hostname" };
    const gang = { name: "gang", minAvailable: 2 };
    const create = (name: string) => world.create(name, { gpus: 1, gang, annotations });
    const [one, two] = [await create("gang-0"), await create("gang-1")];
    const filter = async (Pod: object, NodeNames: readonly string[]) =>
      ((await world.call("/extender/filter", { Pod, NodeNames })).answer as Filtered).NodeNames;
    const bind = async (Node: string) => {
      const { name, namespace, uid } = one.metadata;
      const args = { PodName: name, PodNamespace: namespace, PodUID: uid, Node };
      return (await world.call("/extender/bind", args)).answer as { Error?: string };
    };
    await untilReady(
      () => Promise.resolve(world.logged.some(({ message }) => message.includes("may be"))),
      { what: "the gang, let in", signal: new AbortController().signal },
    );
    const nodes = ["node-1", "node-2"];
    const [planned] = await filter(one, nodes);
    const other = planned === "node-1" ? "node-2" : "node-1";
    assertEquals(await filter(two, [other]), []);
    const woken = (name: string) =>
      world.until(
        `${name} is woken`,
        () => world.pod(name).metadata.annotations?.["muster.scheduling/poked"] !== undefined,
      );
    await woken("gang-1");
    // The nodes have just come, of which the scheduler may not have heard: nothing is learnt at once.
    await untilReady(
      async () => (await filter(two, [other]))?.length === 1,
      { what: "a plan with the other node", signal: new AbortController().signal },
    );
    assertEquals(
      (await bind(planned!)).Error,
      `Muster: gang default/gang is planned anew: ${planned} is not for this member any more`,
    );
    await woken("gang-0");
    assertEquals(await filter(one, nodes), [other]);
  },
);

relayTest(
  "a gang whose members may go anywhere is not tried again where the scheduler refuses the nodes that have room",
  { scheduler: false, nodes: { "node-1": 1, "node-2": 1, "node-3": 1 } },
  async (world) => {
    const seenAt = Date.now();
    const nodes = ["node-1", "node-2", "node-3"];
    const gang = { name: "gang", minAvailable: 2 };
    const one = await world.create("gang-0", { gpus: 1, gang });
    const two = await world.create("gang-1", { gpus: 1, gang });
    const filter = async (Pod: object, NodeNames: readonly string[]) =>
      ((await world.call("/extender/filter", { Pod, NodeNames })).answer as Filtered).NodeNames;
    const until = (what: string, isSo: () => boolean) =>
      untilReady(() => Promise.resolve(isSo()), { what, signal: new AbortController().signal });
    const told = (text: string, times: number) =>
      until(
        `the gang, told "${text}"`,
        () => world.log.filter((line) => line.includes(text)).length === times,
      );
    await told("may be scheduled", 1);
    assertEquals(await filter(one, nodes), ["node-1"]);
    const { name, namespace, uid } = one.metadata;
    const args = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: "node-1" };
    const held = world.call("/extender/bind", args);
    await world.untilBinding(1);
    await until("all that the scheduler has seen", () => Date.now() > seenAt + times.staleCycle);
    const why = "1 Insufficient nvidia.com/gpu, 2 node(s) didn't match pod anti-affinity rules";
    await world.sayUnschedulable("gang-1", `0/3 nodes are available: ${why}.`);
    const { answer } = await held;
    assertStringIncludes((answer as { Error: string }).Error, "no node for member gang-1");
    await told("short of nodes that the scheduler takes its members on", 1);
    assertEquals(await filter(one, nodes.slice(0, 1)), [], "there is room for it alone");
    await told("may be scheduled", 1);
    assertEquals(await filter(two, nodes.slice(1, 2)), [], "the relay has just heard of that");
    await told("may be scheduled", 2);
    assertEquals(await filter(two, nodes.slice(1)), ["node-2"]);
  },
);
