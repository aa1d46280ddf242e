import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";

const rackOf = { x3: "r1", x1: "r1", x4: "r2", x2: "r2" };
type NodeName = keyof typeof rackOf;

const gang = { name: "a", minAvailable: 2 };
const options = { gang, gpus: 1, annotations: { "muster.scheduling/required-topology": "rack" } };

const scenario = onCluster(() => ({ nodes: {} }));

scenario(
  "placement: PL-T36 a member that is replaced stays out of another rack, and its gang, created anew, is in one that holds it",
  async ({ space, cluster: { controlPlane } }) => {
    const addNodes = (...names: NodeName[]) =>
      Promise.all(names.map((name) =>
        controlPlane.addNode(name, {
          gpus: 1,
          cpus: 32,
          memory: "64Gi",
          labels: { rack: rackOf[name] },
        })
      ));
    await addNodes("x3", "x1");
    await space.create("a-0", options);
    await space.create("a-1", options);
    const bound = await space.untilBound(["a-0", "a-1"]);
    await addNodes("x4", "x2");
    await controlPlane.api.patch("/api/v1/nodes/x3", { spec: { unschedulable: true } });
    const [lost] = bound.filter((pod) => pod["spec"].nodeName === "x3")
      .map((pod) => pod.metadata.name);
    const [kept] = ["a-0", "a-1"].filter((name) => name !== lost);
    await space.delete(lost!);

    await space.create("a-2", options);
    await space.untilTold(["a-2"], "one more member where it is to run");
    await space.neverWithin(
      2000,
      "the member that replaces another is bound beside the rack of its sibling",
      (pods) => pods.some((pod) => pod.metadata.name === "a-2" && pod["spec"].nodeName),
    );

    await space.delete(kept!, "a-2");
    await space.create("a-3", options);
    await space.create("a-4", options);
    const again = await space.untilBound(["a-3", "a-4"]);
    const nodes = again.map((pod) => pod["spec"].nodeName as NodeName);
    assertEquals(nodes.map((node) => rackOf[node]), ["r2", "r2"]);
  },
);
