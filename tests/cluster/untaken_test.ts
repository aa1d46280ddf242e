import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { untakenNodes } from "../../shared/cluster/untaken.ts";
import { learn } from "../../shared/core/attend/refused_nodes.ts";
import { Spare } from "../../shared/core/attend/spare.ts";
import { times } from "../../shared/core/attend/times.ts";
import { gang } from "../support/attending.ts";
import { nodeOf, podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "2" };
const room = new Map([["pods", 10]]);

Deno.test("untakenNodes() are those that have room, and that have not changed just now", () => {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener);
  for (const name of ["open", "refused", "full", "sibling"]) {
    cluster.room.nodeChanged({ ...nodeOf(), metadata: { name, uid: name } });
  }
  const cordoned = { name: "cordoned", uid: "cordoned" };
  cluster.room.nodeChanged({ ...nodeOf({ unschedulable: true }), metadata: cordoned });
  cluster.podChanged(podOf({ name: "a", labels }));
  cluster.podChanged(podOf({ name: "b", labels, nodeName: "sibling" }));
  const group = new GangGroup(gang, Date.now());
  group.gangs.push(cluster.gangs.get(gang)!);
  const { kind } = cluster.pods.get("uid-a")!;
  const now = Date.now() + times.staleCycle;
  const refusedNodes = learn(new Map(), { kind, nodes: ["refused"], now });
  group.attended = { ...group.attended, refusedNodes };
  const spare = new Spare();
  spare.planned({ byGroup: new Map(), spare: (node) => node === "full" ? new Map() : room });
  const found = { cluster, spare, now };
  assertEquals(untakenNodes(group, kind, found), ["open", "sibling"]);
  assertEquals(untakenNodes(group, "other", found), []);
  const siblingTakes = (members: number) => {
    const thereOn = () => members;
    const refusedNodes = learn(new Map(), { kind, nodes: ["sibling"], now, thereOn });
    group.attended = { ...group.attended, refusedNodes };
    return untakenNodes(group, kind, found).includes("sibling");
  };
  assertEquals([siblingTakes(1), siblingTakes(2)], [false, true], "one is there");
  assertEquals(untakenNodes(group, kind, { ...found, now: now - times.staleCycle - 1 }), []);
});
