import { assertEquals } from "@std/assert";
import { alikeOn } from "../../shared/cluster/alike_on.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { callOf, gang } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "2" };

Deno.test("alikeOn() are the members of a kind that are bound or held, by node", () => {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener);
  for (const name of ["waits", "held"]) cluster.podChanged(podOf({ name, labels }));
  for (const name of ["b1", "b2"]) cluster.podChanged(podOf({ name, labels, nodeName: "n1" }));
  cluster.podChanged(podOf({ name: "ended", labels, nodeName: "n1", phase: "Succeeded" }));
  const held = cluster.pods.get("uid-held")!;
  held.call = callOf("held", {
    pod: { namespace: "default", name: "held", uid: "uid-held", node: "n2" },
  });
  const group = new GangGroup(gang, 0);
  group.gangs.push(cluster.gangs.get(gang)!);
  assertEquals([...alikeOn(group, held.kind)], [["n2", 1], ["n1", 2]]);
  assertEquals(alikeOn(group, "other").size, 0);
});
