import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { resourceAmounts } from "../../shared/cluster/resource_amounts.ts";
import { callTo, container, podOf } from "../support/objects.ts";

const gpu = "nvidia.com/gpu";

/** A cluster of two nodes with 4 GPUs each, on which two pods of 2 GPUs take room. */
function clusterOfTwo(): Cluster {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  });
  for (const name of ["a", "b"]) {
    cluster.room.nodeChanged({
      metadata: { name, uid: name },
      spec: {},
      status: { allocatable: { [gpu]: "4", cpu: "2", pods: "10", "example.com/none": "0" } },
    });
  }
  const containers = [container({ [gpu]: "2", cpu: "500m" })];
  cluster.podChanged(podOf({ name: "bound", nodeName: "a", containers }));
  cluster.podChanged(podOf({ name: "held", containers }));
  return cluster;
}

Deno.test("resources: what nodes have, and what bound and held pods take of it", () => {
  const cluster = clusterOfTwo();
  const record = [...cluster.pods.values()].find(({ pod }) => pod.metadata.name === "held")!;
  cluster.podHeld(record, callTo("b", record));
  assertEquals(resourceAmounts(cluster.room, [{ record }]), [
    { name: gpu, allocatable: 8, bound: 2, held: 2 },
    { name: "cpu", allocatable: 4000, bound: 500, held: 500 },
  ]);
});

Deno.test("resources: the sums follow nodes and pods, without what is there uncounted", () => {
  const cluster = clusterOfTwo();
  const amounts = () =>
    resourceAmounts(cluster.room, []).map(({ name, allocatable, bound }) =>
      `${name} ${bound} of ${allocatable}`
    );
  const served = { metadata: { name: "class", uid: "class" }, spec: { extendedResourceName: gpu } };
  cluster.room.deviceClassChanged(served);
  cluster.room.nodeChanged({
    metadata: { name: "c", uid: "c" },
    spec: {},
    status: { allocatable: { cpu: "1" } },
  });
  assertEquals(amounts(), [`${gpu} 2 of 8`, "cpu 500 of 5000"]);
  cluster.room.nodeDeleted(cluster.room.nodes.get("c")!);
  cluster.room.deviceClassDeleted(served);
  cluster.podDeleted([...cluster.pods.values()].find(({ node }) => node === "a")!.pod);
  assertEquals(amounts(), [`${gpu} 0 of 8`, "cpu 0 of 4000"]);
  cluster.room.nodeDeleted(cluster.room.nodes.get("a")!);
  assertEquals(amounts(), [`${gpu} 0 of 4`, "cpu 0 of 2000"]);
});
