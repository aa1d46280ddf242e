import { assertEquals } from "@std/assert";
import { Placement } from "../../relay/placement.ts";
import type { Use } from "../../shared/core/fit.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { relayTest } from "../support/relay_world.ts";

const waits = () => true;
const nodes = ["gpu-1", "gpu-2", "cpu-1"];

function use(node: string, kind: string, count = 1): Use {
  return { node, kind, requests: new Map(), count };
}

Deno.test("placement: members of one kind may go anywhere, because it does not matter which goes where", () => {
  const placement = new Placement();
  placement.follow([use("gpu-1", "worker", 2)], waits);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), nodes);
});

Deno.test("placement: no more members of a kind are sent to a node than planned, and one that comes again goes where it was sent", () => {
  const placement = new Placement();
  const uses = [use("gpu-1", "worker"), use("gpu-2", "worker"), use("cpu-1", "launcher")];
  placement.follow(uses, waits);
  assertEquals(placement.choose({ uid: "launcher", kind: "launcher" }, nodes), ["cpu-1"]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), ["gpu-1"]);
  assertEquals(placement.choose({ uid: "b", kind: "worker" }, nodes), ["gpu-2"]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), ["gpu-1"]);
  assertEquals(
    placement.choose({ uid: "c", kind: "worker" }, nodes),
    nodes,
    "beyond what is needed",
  );
});

Deno.test("placement: where the scheduler has reasons against every planned node it decides", () => {
  const placement = new Placement();
  placement.follow([use("gpu-1", "worker"), use("cpu-1", "launcher")], waits);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, ["gpu-2"]), ["gpu-2"]);
});

Deno.test("placement: a new plan counts those that are on the way, and no more those that are held", () => {
  const placement = new Placement();
  const launcher = use("cpu-1", "launcher");
  placement.follow([use("gpu-1", "worker", 2), launcher], waits);
  placement.choose({ uid: "a", kind: "worker" }, nodes);
  placement.follow([use("gpu-1", "worker"), use("gpu-2", "worker"), launcher], waits);
  assertEquals(placement.choose({ uid: "b", kind: "worker" }, nodes), ["gpu-2"]);
  placement.follow([use("gpu-1", "worker"), launcher], (uid) => uid !== "a" && uid !== "b");
  assertEquals(placement.choose({ uid: "c", kind: "worker" }, nodes), ["gpu-1"]);
});

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
