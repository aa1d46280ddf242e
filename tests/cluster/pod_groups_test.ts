import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import { nativePodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { groupOf, type Node } from "../support/composites.ts";
import { podOf } from "../support/objects.ts";

/** A cluster with a pod of each of these PodGroups, and what it tells of. */
function clusterWith(podGroups: readonly string[]) {
  const heard: string[] = [];
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: (gang) => heard.push(gang.replace("default/", "")),
    roomChanged: () => {},
  });
  for (const name of podGroups) {
    cluster.podChanged(podOf({ name: `${name}-0`, schedulingGroup: { podGroupName: name } }));
  }
  const groups = new GroupTable(cluster, () => {});
  const find = (name: string) => groups.find(`default/${name}`)!;
  return {
    cluster,
    find,
    /** Gangs that are told to be declared otherwise by a change. */
    told(change: (cluster: Cluster) => void): string[] {
      heard.length = 0;
      change(cluster);
      return heard.toSorted();
    },
    /** The group of each gang, or why it waits. */
    groups(): Record<string, string> {
      return Object.fromEntries(podGroups.map((name) => {
        const group = find(name);
        const gang = group.gangs.find(({ id }) => id === `default/${name}`)!;
        return [name, gang.read().problem?.reason ?? group.id.replaceAll("default/", "")];
      }));
    },
  };
}

const podGroup = (name: string, node: Node = {}) => (cluster: Cluster) =>
  cluster.podGroupChanged(nativePodGroup, groupOf(name, node));
const noPodGroup = (name: string, node: Node = {}) => (cluster: Cluster) =>
  cluster.podGroupDeleted(nativePodGroup, groupOf(name, node));
const composite = (name: string, node: Node) => (cluster: Cluster) =>
  cluster.compositeChanged(groupOf(name, node));
const noComposite = (name: string, node: Node) => (cluster: Cluster) =>
  cluster.compositeDeleted(groupOf(name, node));

const inRoot = { parent: "root" };

Deno.test("PodGroups: gangs become one group when all of their tree is there, in any order", () => {
  const { told, groups } = clusterWith(["a", "b"]);
  assertEquals(told(podGroup("a", inRoot)), ["a"]);
  assertEquals(groups(), { a: "CompositePodGroup", b: "PodGroupNotFound" });
  assertEquals(told(composite("root", { needs: 2 })), ["a"]);
  assertEquals(groups(), { a: "CompositePodGroup", b: "PodGroupNotFound" });
  assertEquals(told(podGroup("b", inRoot)), ["a", "b"]);
  assertEquals(groups(), { a: "a,b", b: "a,b" });
});

Deno.test("PodGroups: what is gone of a tree is a matter of all its gangs", () => {
  const { told, groups } = clusterWith(["a", "b", "c"]);
  const inner = { needs: 1, ...inRoot };
  for (
    const change of [
      composite("root", { needs: 2 }),
      composite("inner", inner),
      podGroup("a", inRoot),
      podGroup("b", { parent: "inner" }),
      podGroup("c"),
    ]
  ) told(change);
  assertEquals(groups(), { a: "a,b", b: "a,b", c: "c" });
  assertEquals(told(noComposite("inner", inner)), ["a", "b"]);
  assertEquals(groups(), { a: "CompositePodGroup", b: "CompositePodGroup", c: "c" });
  told(composite("inner", inner));
  assertEquals(told(noPodGroup("b", { parent: "inner" })), ["a", "b"]);
  assertEquals(groups(), { a: "CompositePodGroup", b: "PodGroupNotFound", c: "c" });
  assertEquals(told(noComposite("root", { needs: 2 })), ["a"]);
  assertEquals(told(noPodGroup("c")), ["c"]);
});

Deno.test("PodGroups: where too many are in a tree, or nothing keeps them together, one more is no news to the others", () => {
  const tell = (count: number, needs: number) => {
    const names = Array.from({ length: count }, (_, at) => `g${at}`);
    const { told, groups } = clusterWith(names);
    told(composite("root", { needs }));
    for (const name of names.slice(1)) told(podGroup(name, inRoot));
    const came = told(podGroup("g0", inRoot));
    const is = groups()["g1"];
    return { came: came.length, is, left: told(noPodGroup("g0", inRoot)).length };
  };
  const tooMany = "CompositePodGroup";
  assertEquals(tell(101, 1), { came: 101, is: tooMany, left: 101 });
  assertEquals(tell(102, 1), { came: 1, is: tooMany, left: 1 });
  assertEquals(tell(3, 0), { came: 1, is: "g1", left: 1 });
});

Deno.test("PodGroups: the status of a CompositePodGroup is no news to its gangs", () => {
  const { told } = clusterWith(["a"]);
  told(podGroup("a", inRoot));
  told(composite("root", { needs: 1 }));
  const status = { conditions: [] };
  assertEquals(
    told((cluster) => cluster.compositeChanged({ ...groupOf("root", { needs: 1 }), status })),
    [],
  );
  assertEquals(told(composite("root", { needs: 1, topology: "rack" })), ["a"]);
});

Deno.test("PodGroups: a circle of CompositePodGroups is gone through once", () => {
  const { told } = clusterWith(["a"]);
  told(composite("c1", { needs: 1, parent: "c2" }));
  told(composite("c2", { needs: 1, parent: "c1" }));
  assertEquals(told(podGroup("a", { parent: "c1" })), ["a"]);
});

Deno.test("PodGroups: a group follows its tree though a gang of it has no members any more", () => {
  const { cluster, told, find } = clusterWith(["a", "b"]);
  for (const name of ["a", "b"]) told(podGroup(name, inRoot));
  told(composite("root", { needs: 1 }));
  const [group] = ["a", "b"].map(find);
  assertEquals(group!.composite?.min, 1);
  cluster.podDeleted(podOf({ name: "a-0", schedulingGroup: { podGroupName: "a" } }));
  told(composite("root", { needs: 2 }));
  assertEquals(group!.composite, undefined);
});
