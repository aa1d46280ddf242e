import { assertEquals } from "@std/assert";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { relayTest } from "../support/relay_world.ts";

relayTest(
  "a gang of differing members is placed as planned after a failed round, and as the scheduler likes before",
  { scheduler: false },
  async (world) => {
    await world.sandbox.addNode({ name: "gpu", cpu: 3, gpus: 1 });
    await world.sandbox.addNode({ name: "cpu", cpu: 2 });
    const create = (name: string, gpus: number) => {
      const resources = { requests: { cpu: 2 }, limits: { "nvidia.com/gpu": gpus } };
      const containers = [{ name: "main", resources }];
      return world.create(name, { gang: { name: "mpi", minAvailable: 2 }, spec: { containers } });
    };
    const launcher = await create("launcher", 0);
    const worker = await create("worker", 1);
    const untilLetIn = (times: number) =>
      untilReady(
        () =>
          Promise.resolve(
            world.logged.filter(({ message }) => message.includes("may be")).length === times,
          ),
        { what: `the gang, let in ${times} times`, signal: new AbortController().signal },
      );
    const filter = async (Pod: object) => {
      const { answer } = await world.call("/extender/filter", { Pod, NodeNames: ["gpu", "cpu"] });
      return (answer as { NodeNames: string[] }).NodeNames;
    };
    await untilLetIn(1);
    assertEquals(await filter(launcher), ["gpu", "cpu"]);
    await world.sayUnschedulable("worker", "0/2 nodes are available: 2 Insufficient cpu.");
    await untilLetIn(2);
    assertEquals(await filter(launcher), ["cpu"]);
    assertEquals(await filter(worker), ["gpu"]);
  },
);
