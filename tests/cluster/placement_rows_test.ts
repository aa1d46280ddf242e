import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { topologyLevels } from "../../shared/kubernetes/declaring/topology_level.ts";
import { container, podOf } from "../support/objects.ts";
import { boundIn, checkPlaces } from "../support/placement/check.ts";
import { roleRows } from "../support/placement/role_rows.ts";
import type { GangRow, Row } from "../support/placement/row.ts";
import { topologyOf } from "../support/placement/topology_of.ts";
import { topologyRows } from "../support/placement/topology_rows.ts";
import { gpu, planIn } from "../support/planned_gangs.ts";

for (const row of [...topologyRows, ...roleRows]) {
  Deno.test(`placement, from pods to their plan: ${row.id}`, () => {
    const cluster = clusterOf(row);
    const groups = Object.keys(row.gangs).map((name) => {
      const group = new GangGroup(`default/${name}`, Date.now());
      group.gangs.push(cluster.gangs.get(`default/${name}`)!);
      return group;
    });
    const plans = planIn(groups, { cluster });
    const placed = groups.flatMap(({ id, gangs: [gang] }) => {
      const { taken = [], surplus = [] } = plans.byGroup.get(id)!;
      const open = [...taken, ...surplus].map((use) => ({ ...use }));
      return [...gang!.members.values()].flatMap((record) => {
        const use = record.node === undefined
          ? open.find(({ kind, count }) => count > 0 && kind === record.kind)
          : undefined;
        if (use) use.count--;
        const node = record.node ?? use?.node;
        const { name } = record.pod.metadata;
        return node === undefined ? [] : [{
          member: name.slice(0, name.lastIndexOf("-")),
          labels: cluster.room.nodes.get(node)!.metadata.labels!,
        }];
      });
    });
    assertEquals(boundIn(row, placed.map(({ member }) => member)), row.bound);
    checkPlaces(row, placed);
  });
}

/** The row's nodes and pods. */
function clusterOf({ nodes, gangs }: Row): Cluster {
  const nothing = () => {};
  const listener = { podChanged: nothing, podGroupChanged: nothing, roomChanged: nothing };
  const cluster = new Cluster(listener, { levels: topologyLevels("block,rack") });
  for (const [name, { gpus, used = 0, labels }] of Object.entries(nodes)) {
    cluster.room.nodeChanged({
      metadata: {
        name,
        uid: name,
        labels: { "kubernetes.io/hostname": name, block: "b0", ...labels },
      },
      status: { allocatable: { [gpu]: String(gpus), pods: "110" } },
    });
    const containers = [container({ [gpu]: String(used) })];
    if (used > 0) cluster.podChanged(podOf({ name: `used-${name}`, nodeName: name, containers }));
  }
  for (const [gang, row] of Object.entries(gangs)) createMembers(cluster, gang, row);
  return cluster;
}

function createMembers(
  cluster: Cluster,
  gang: string,
  { min, says, members }: GangRow,
): void {
  const all = Object.values(members).reduce((sum, { pods }) => sum + pods, 0);
  for (const [member, { pods, gpus, on, says: more }] of Object.entries(members)) {
    for (let index = 0; index < pods; index++) {
      cluster.podChanged(podOf({
        name: `${member}-${index}`,
        labels: {
          "pod-group.scheduling.sigs.k8s.io/name": gang,
          "pod-group.scheduling.sigs.k8s.io/min-available": String(min ?? all),
        },
        annotations: topologyOf({ ...says, ...more }),
        containers: [container({ [gpu]: String(gpus) })],
        ...(on !== undefined && { nodeName: on }),
      }));
    }
  }
}
