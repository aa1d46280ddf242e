import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { writesOf, type WrittenEffect } from "../../shared/cluster/effect_writes.ts";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import { times } from "../../shared/core/attend/times.ts";
import { podOf } from "../support/objects.ts";

const listener = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
const labels = { "pod-group/name": "train", "pod-group/min-available": "2" };

/** Members `a`, `b` and `c` of a gang, of which `c` has a node. */
function membersOf(): Cluster {
  const cluster = new Cluster(listener);
  for (const name of ["a", "b"]) cluster.podChanged(podOf({ name, labels }));
  cluster.podChanged(podOf({ name: "c", labels, nodeName: "node-1" }));
  return cluster;
}

/** From now on these are to go there. */
function nominate(group: GangGroup, members: readonly { uid: string; node: string }[]): void {
  let { nominated } = group.attended;
  for (const { uid, node } of members) nominated = nominated.with(uid, node);
  group.attended = { ...group.attended, nominated };
}

/** What is written, as `<last segments of the path>: <body>`. */
function told(cluster: Cluster, effect: WrittenEffect): string[] {
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  if (effect.do === "nominate") nominate(group, effect.members);
  const pending = writesOf(effect, { group, cluster, now: 0 });
  const written = pending.flatMap(({ writes }) => [...writes()]);
  return written.map(({ path, body }) => `${path.split("/pods/")[1]}: ${JSON.stringify(body)}`);
}

const say = { do: "say", reason: "SchedulingGated", message: "1 of 2" } as const;

Deno.test("effect writes: those that wait for a node are parked", () => {
  const annotated = (uid: string) =>
    `{"metadata":{"uid":"${uid}","annotations":{"gang.scheduling.koordinator.sh/timeout":"true"}}}`;
  assertEquals(told(membersOf(), { do: "park" }), [
    `a: ${annotated("uid-a")}`,
    `b: ${annotated("uid-b")}`,
  ]);
});

Deno.test("effect writes: members that are gone are not written about", () => {
  const cluster = membersOf();
  cluster.podDeleted(podOf({ name: "b", labels }));
  const members = ["uid-a", "uid-b"].map((uid) => ({ uid, node: "node-2" }));
  const nominated = '{"metadata":{"uid":"uid-a"},"status":{"nominatedNodeName":"node-2"}}';
  assertEquals(told(cluster, { do: "nominate", members }), [`a/status: ${nominated}`]);
  const cleared = '{"metadata":{"uid":"uid-a"},"status":{"nominatedNodeName":null}}';
  const uids = ["uid-b", "uid-a"];
  assertEquals(told(cluster, { do: "unnominate", uids }), [`a/status: ${cleared}`]);
});

Deno.test("effect writes: a pod is poked also where it is not known", () => {
  const pod = { namespace: "default", name: "unseen" };
  const poked =
    '{"metadata":{"uid":"u","annotations":{"muster.scheduling/poked":"1970-01-01T00:00:00.000Z"}}}';
  assertEquals(told(membersOf(), { do: "poke", pod, uid: "u" }), [`unseen: ${poked}`]);
});

Deno.test("effect writes: what was said last of where a member is to go is written, and nothing that was said before", () => {
  const cluster = membersOf();
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  const writesNow = (effect: WrittenEffect) =>
    writesOf(effect, { group, cluster, now: 0 }).flatMap(({ writes }) => [...writes()]).length;
  const members = [{ uid: "uid-a", node: "node-2" }];
  nominate(group, [{ uid: "uid-a", node: "node-3" }]);
  assertEquals(writesNow({ do: "nominate", members }), 0);
  nominate(group, members);
  assertEquals(writesNow({ do: "nominate", members }), 1);
});

Deno.test("effect writes: a member that was tried since is not poked any more", () => {
  const group = new GroupTable(membersOf(), () => {}).find("default/train")!;
  const pod = { namespace: "default", name: "a" };
  const effect = { do: "poke", pod, uid: "uid-a" } as const;
  const [pending] = writesOf(effect, { group, cluster: membersOf(), now: 5 });
  for (const [at, writes] of [[5, 1], [6, 0]] as const) {
    const refusal = { pod, gang: "default/train", reason: "NoPlace", sentence: "", at };
    const refused = group.attended.refused.with("uid-a", refusal);
    group.attended = { ...group.attended, refused };
    assertEquals([...pending!.writes()].length, writes);
  }
});

Deno.test("effect writes: a member that is roused is nominated nowhere, and then where it was", () => {
  const cluster = membersOf();
  const effect = { do: "poke", pod: { namespace: "default", name: "a" }, uid: "uid-a" } as const;
  const nominated = (node: string | null, metadata: object = {}) =>
    `a/status: ${
      JSON.stringify({
        metadata: { uid: "uid-a", ...metadata },
        status: { nominatedNodeName: node },
      })
    }`;
  const annotations = { "muster.scheduling/poked": "1970-01-01T00:00:00.000Z" };
  const nowhere = nominated("muster.scheduling", { annotations });
  assertEquals(told(cluster, { ...effect, isRoused: true }), [nowhere, nominated(null)]);
  const { status, ...pod } = podOf({ name: "a", labels });
  cluster.podChanged({ ...pod, status: { ...status, nominatedNodeName: "node-2" } });
  assertEquals(told(cluster, { ...effect, isRoused: true }), [nowhere, nominated("node-2")]);
});

Deno.test("effect writes: a member keeps its nomination where others have left its node so lately that this wakes it", () => {
  const cluster = membersOf();
  const metadata = { name: "node-2", uid: "node-2" };
  cluster.room.nodeChanged({ metadata, spec: {}, status: {} });
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  nominate(group, [{ uid: "uid-a", node: "node-2" }]);
  const pod = { namespace: "default", name: "a" };
  const effect = { do: "poke", pod, uid: "uid-a", isRoused: true } as const;
  const goalsAfter = (ms: number) => {
    const now = cluster.room.changedAt("node-2") + ms;
    const [{ writes } = { writes: () => [] }] = writesOf(effect, { group, cluster, now });
    return [...writes()].map(({ body }) =>
      (body as { status: { nominatedNodeName: string } }).status.nominatedNodeName
    );
  };
  assertEquals(goalsAfter(times.heard - 1), ["node-2"]);
  assertEquals(goalsAfter(times.heard), ["muster.scheduling", "node-2"]);
});

Deno.test("effect writes: a member that is roused is nominated where it is to go by then", () => {
  const cluster = membersOf();
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  const pod = { namespace: "default", name: "a" };
  const effect = { do: "poke", pod, uid: "uid-a", node: "node-2", isRoused: true } as const;
  const [{ writes } = { writes: () => [] }] = writesOf(effect, { group, cluster, now: 0 });
  const nodes = [];
  for (const { body } of writes()) {
    nodes.push((body as { status: { nominatedNodeName: string } }).status.nominatedNodeName);
    nominate(group, [{ uid: "uid-a", node: "node-3" }]);
  }
  assertEquals(nodes, ["muster.scheduling", "node-3"]);
});

Deno.test("effect writes: a condition is of the pod as it is when its turn comes, and of none whose gate is gone", () => {
  const cluster = membersOf();
  const group = new GroupTable(cluster, () => {}).find("default/train")!;
  const pending = writesOf({ ...say, uids: ["uid-a", "uid-b"] }, { group, cluster, now: 0 });
  const { metadata, ...pod } = podOf({ name: "a", labels });
  cluster.podChanged({ ...pod, metadata: { ...metadata, resourceVersion: "2" } });
  cluster.podUngated(cluster.pods.get("uid-b")!);
  const conditions = [
    { type: "PodScheduled", status: "False", reason: "SchedulingGated", message: "1 of 2" },
  ];
  assertEquals(pending.map(({ writes }) => [...writes()].map(({ body }) => body)), [
    [{ metadata: { uid: "uid-a", resourceVersion: "2" }, status: { conditions } }],
    [],
  ]);
});
