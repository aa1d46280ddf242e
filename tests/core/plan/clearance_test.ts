import { assert, assertEquals } from "@std/assert";
import { clusterOf, createGang, groupOf, now, on, planIn } from "../../support/planned_gangs.ts";
import type { Cluster } from "../../../shared/cluster/cluster.ts";
import { GangGroup } from "../../../shared/cluster/gang_group.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { callOf } from "../../support/attending.ts";

/** Regular pods of priority 0, each on a node of its own. */
function pods(...nodes: [node: string, gpus: number][]): Pod[] {
  return nodes.map(([node, gpus]) => on(node, gpus));
}

/** A gang of priority 10 whose members ask for two GPUs each. */
function gangIn(cluster: Cluster, name: string, size: number) {
  return groupOf({ name, size, gpus: 2, priority: 10 }, cluster);
}

/** The plans where the relay evicts, by name of the gang. */
function plansIn(cluster: Cluster, ...groups: ReturnType<typeof groupOf>[]) {
  const { byGroup } = planIn(groups, { cluster, evicts: true });
  return groups.map(({ id }) => byGroup.get(id)!);
}

Deno.test("plan(): a gang that finds no room is told who leaves for it, and keeps the room that comes", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2], ["b", 2]) });
  const [high, behind] = plansIn(
    cluster,
    gangIn(cluster, "high", 2),
    gangIn(cluster, "behind", 1),
  );
  assertEquals(high!.clearance?.victims.length, 2);
  assertEquals(high!.clearance?.members.map(({ node }) => node).sort(), ["a", "b"]);
  assertEquals(high!.fit.leaving?.pods, 2);
  assertEquals(high!.isShort, true);
  assertEquals(behind!.clearance, undefined);
  assertEquals(behind!.fit.leaving, undefined);
});

Deno.test("plan(): a gang that a policy keeps waiting hears who would leave for it, and takes nothing from those behind", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2]) });
  const kept = gangIn(cluster, "kept", 2);
  const why = { reason: "CustomPolicy", message: "" } as const;
  kept.attended = { ...kept.attended, standing: { phase: "refused", why, since: now } };
  const [plan, like, behind] = plansIn(
    cluster,
    kept,
    Object.assign(gangIn(cluster, "like", 2), { attended: { ...kept.attended, id: "like" } }),
    gangIn(cluster, "behind", 1),
  );
  assertEquals(plan!.fit.leaving, { pods: 1, first: ["default/on-a"] });
  assertEquals(like!.fit.leaving, plan!.fit.leaving);
  assertEquals([plan!.clearance, plan!.isShort], [undefined, false]);
  assertEquals(behind!.taken?.length, 1);
});

Deno.test("plan(): nobody leaves for a gang that would not become whole by it", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2]) });
  const [plan] = plansIn(cluster, gangIn(cluster, "high", 3));
  assertEquals(plan!.clearance, undefined);
});

Deno.test("plan(): what is free is kept too while others leave for the rest", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2]) });
  const [high, behind] = plansIn(
    cluster,
    gangIn(cluster, "high", 2),
    gangIn(cluster, "behind", 1),
  );
  assertEquals(high!.clearance?.names, ["default/on-a"]);
  assertEquals(behind!.taken, undefined);
});

Deno.test("plan(): KO-PRE-1 a gang for which pods leave already evicts no others, and goes on waiting for their room", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2], ["b", 2]) });
  const high = gangIn(cluster, "high", 1);
  const [before] = plansIn(cluster, high);
  const record = cluster.pods.get(before!.clearance!.victims[0]!)!;
  record.evictedFor = { group: high.id, by: "gang default/high" };
  const [after] = plansIn(cluster, high);
  assertEquals(after!.clearance?.victims, []);
  assertEquals(after!.clearance?.taken[0]?.node, record.node);
});

Deno.test("plan(): KO-PRE-4 where pods leave by themselves nobody is evicted, and nobody behind is kept waiting for them", () => {
  const [leaves] = pods(["a", 2]);
  const deletionTimestamp = new Date(now).toISOString();
  const going = { ...leaves!, metadata: { ...leaves!.metadata, deletionTimestamp } };
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: [going, ...pods(["b", 2])] });
  const [plan] = plansIn(cluster, gangIn(cluster, "high", 1));
  assertEquals(plan!.clearance, undefined);
});

Deno.test("plan(): a pod that should have ended long ago is not waited for, and not evicted again", () => {
  const [stuck] = pods(["a", 2]);
  const deletionTimestamp = new Date(now - 60_000).toISOString();
  const dead = { ...stuck!, metadata: { ...stuck!.metadata, deletionTimestamp } };
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: [dead, ...pods(["b", 2])] });
  const [plan] = plansIn(cluster, gangIn(cluster, "high", 1));
  assertEquals(plan!.clearance?.names, ["default/on-b"]);
});

Deno.test("plan(): KO-PRE-2 KO-PRE-8 pods leave for as many as are not held, and for none where all are", () => {
  const leaving = [0, 1, 2].map((held) => {
    const free = Object.fromEntries(["n0", "n1"].slice(0, held).map((node) => [node, 2]));
    const cluster = clusterOf({ nodes: { a: 2, b: 2, ...free }, pods: pods(["a", 2], ["b", 2]) });
    const high = gangIn(cluster, "high", 2);
    for (let at = 0; at < held; at++) {
      const uid = `uid-high-${at}`;
      const pod = { namespace: "default", name: `high-${at}`, uid, node: `n${at}` };
      cluster.podHeld(cluster.pods.get(uid)!, callOf(uid, { pod }));
    }
    return plansIn(cluster, high)[0]!.clearance?.victims.length ?? 0;
  });
  assertEquals(leaving, [2, 1, 0]);
});

Deno.test("plan(): members go where they were nominated, while that is as good", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2], ["b", 2]) });
  const high = gangIn(cluster, "high", 2);
  const [plan] = plansIn(cluster, high);
  const [first, second] = plan!.clearance!.members;
  let { nominated } = high.attended;
  nominated = nominated.with(first!.uid, second!.node).with(second!.uid, first!.node);
  high.attended = { ...high.attended, nominated };
  const [again] = plansIn(cluster, high);
  const nodeOf = (uid: string) => again!.clearance!.members.find((goal) => goal.uid === uid)?.node;
  assertEquals([nodeOf(first!.uid), nodeOf(second!.uid)], [second!.node, first!.node]);
});

Deno.test("plan(): of several gangs of a group each gets the nodes that are cleared for it, though their members are alike", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2], ["b", 2]) });
  const both = new GangGroup("default/one,default/other", Date.now());
  for (const [name, size] of [["one", 2], ["other", 1]] as const) {
    both.gangs.push(createGang({ name, size, minMember: 1, gpus: 2, priority: 10 }, cluster));
  }
  const [plan] = plansIn(cluster, both);
  const gangs = plan!.clearance!.members.map(({ uid }) => cluster.pods.get(uid)!.gang);
  assertEquals(gangs.sort(), ["default/one", "default/other"]);
});

Deno.test("plan(): KO-PRE-3 a gang of which a member must not preempt evicts nobody", () => {
  const cluster = clusterOf({ nodes: { a: 2 }, pods: pods(["a", 2]) });
  const spec = { preemptionPolicy: "Never" };
  const high = groupOf({ name: "high", size: 1, gpus: 2, priority: 10, spec }, cluster);
  const [plan] = plansIn(cluster, high);
  assertEquals(plan!.clearance, undefined);
});

Deno.test("plan(): budgets are kept", () => {
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  const ready = pods(["a", 2], ["b", 2]).map((pod) => ({ ...pod, status }));
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: ready });
  const high = gangIn(cluster, "high", 1);
  const budget = (disruptionsAllowed: number) => ({
    metadata: { name: "all", uid: "all", namespace: "default" },
    spec: { selector: {} },
    status: { disruptionsAllowed },
  });
  cluster.budgetChanged(budget(0));
  assertEquals(plansIn(cluster, high)[0]!.clearance, undefined);
  cluster.budgetChanged(budget(1));
  assert(plansIn(cluster, high)[0]!.clearance);
  assertEquals(plansIn(cluster, gangIn(cluster, "two", 2))[0]!.clearance, undefined);
});

Deno.test("plan(): a member goes after those of a gang ahead of no higher priority that have room on its node at once", () => {
  const goalOf = (before: Partial<Parameters<typeof groupOf>[0]>) => {
    const cluster = clusterOf({ nodes: { a: 4 }, pods: pods(["a", 2]) });
    const ahead = groupOf({ name: "ahead", size: 1, gpus: 2, priority: 10, ...before }, cluster);
    return plansIn(cluster, ahead, gangIn(cluster, "high", 1))[1]!.clearance?.members;
  };
  const goal = { uid: "uid-high-0", node: "a" };
  assertEquals(goalOf({}), [{ ...goal, isAfterOthers: true }]);
  assertEquals(goalOf({ priority: 20 }), [goal]);
});

Deno.test("plan(): a gang goes on waiting for room that others leave where a gang ahead has taken what was left for it", () => {
  const cluster = clusterOf({ nodes: { a: 2, b: 2 }, pods: pods(["a", 2], ["b", 2]) });
  const [ahead, high] = [gangIn(cluster, "ahead", 1), gangIn(cluster, "high", 1)];
  for (const [node, group] of [["a", ahead], ["b", high]] as const) {
    const record = [...cluster.pods.values()].find((pod) => pod.node === node)!;
    record.evictedFor = { group: group.id, by: "its gang" };
    if (node === "b") cluster.podDeleted(record.pod);
  }
  const clearanceOf = () => plansIn(cluster, ahead, high)[1]!.clearance;
  assertEquals(clearanceOf(), undefined, "as long as nobody has left for it");
  const [before] = plansIn(cluster, ahead);
  high.attended = {
    ...high.attended,
    clearance: { taken: [], members: [], victims: [], names: [] },
  };
  assertEquals(before!.taken?.map(({ node }) => node), ["b"]);
  assertEquals(clearanceOf()?.names, ["default/on-a"]);
});
