import { assertEquals } from "@std/assert";
import { Cluster } from "../../relay/cluster/cluster.ts";
import { ResourceReport } from "../../relay/report/resource_report.ts";
import { container, podOf } from "../support/objects.ts";

const gpu = "nvidia.com/gpu";

/** A cluster of two nodes with 4 GPUs each, on which two pods of 2 GPUs take room. */
function clusterOfTwo(): Cluster {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  });
  for (const name of ["a", "b"]) {
    cluster.nodeChanged({
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
  cluster.occupy(record, "b");
  assertEquals(new ResourceReport(cluster, [{ record }]).due(0), [
    { name: gpu, allocatable: 8, bound: 2, held: 2 },
    { name: "cpu", allocatable: 4000, bound: 500, held: 500 },
  ]);
});

Deno.test("resources: are told once in ten seconds at most", () => {
  const report = new ResourceReport(clusterOfTwo(), []);
  const told = [0, 1, 9999, 10_000, 10_001, 60_000].filter((now) => report.due(now) !== undefined);
  assertEquals(told, [0, 10_000, 60_000]);
});
