import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { compositeOutlook } from "../../shared/cluster/composite_outlook.ts";
import type { Verdict } from "../../shared/core/attend/attended.ts";
import { nativePodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { groupOf, type Trees } from "../support/composites.ts";
import { podOf } from "../support/objects.ts";

/** Phases of the pods of a gang; one that is bound and does not run yet is `Pending@node`. */
type Pods = Readonly<Record<string, readonly string[]>>;

const silent = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };

/** What is known of composite `root`, where these gangs are refused. */
function outlookOf(
  trees: Trees,
  { pods, refused = {}, foreign = [] }: {
    pods: Pods;
    refused?: Readonly<Record<string, string | Verdict>>;
    foreign?: readonly string[];
  },
) {
  const cluster = new Cluster(silent, { schedulerNames: ["muster"] });
  for (const [name, node] of Object.entries(trees)) {
    const group = groupOf(name, node);
    if (node.needs === undefined) cluster.podGroupChanged(nativePodGroup, group);
    else cluster.compositeChanged(group);
  }
  for (const [podGroupName, phases] of Object.entries(pods)) {
    const schedulerName = foreign.includes(podGroupName) ? "volcano" : "muster";
    for (const [index, text] of phases.entries()) {
      const [phase = "", node] = text.split("@");
      const nodeName = node ?? (phase === "Pending" ? undefined : "node-1");
      const name = `${podGroupName}-${index}`;
      const spec = { schedulingGroup: { podGroupName }, ...(nodeName && { nodeName }) };
      cluster.podChanged(podOf({ name, phase, schedulerName, ...spec }));
    }
  }
  return compositeOutlook(groupOf("root", trees["root"]!), {
    hierarchy: cluster.podGroups.hierarchyOf("default"),
    gangOf: (gang) => cluster.gangs.get(gang),
    verdictOf: (gang) => {
      const why = refused[gang.replace("default/", "")];
      return typeof why === "string"
        ? { verdict: "reject", reason: "InsufficientResources", message: why }
        : why;
    },
  });
}

const inRoot = { parent: "root" };
const flat = (needs: number): Trees => ({ root: { needs }, a: inRoot, b: inRoot });
const nested: Trees = {
  root: { needs: 2 },
  a: inRoot,
  inner: { needs: 2, parent: "root" },
  b: { parent: "inner" },
  c: { parent: "inner" },
};
const runs = ["Running"];
const waits = ["Pending"];

const scheduled: [what: string, trees: Trees, pods: Pods, isScheduled: boolean][] = [
  ["as many groups as it needs have their members", flat(2), { a: runs, b: runs }, true],
  ["one has none", flat(2), { a: runs, b: waits }, false],
  ["members that only have a node count", flat(2), { a: ["Pending@n"], b: runs }, true],
  ["members that have ended count", flat(2), { a: ["Succeeded"], b: runs }, true],
  ["members that failed do not", flat(2), { a: ["Failed"], b: runs }, false],
  ["it can do without one", flat(1), { a: waits, b: runs }, true],
  ["of policy basic one is enough", flat(0), { a: waits, b: runs }, true],
  ["of policy basic there is none", flat(0), { a: waits, b: waits }, false],
  ["what is within counts where it is whole", nested, { a: runs, b: runs, c: runs }, true],
  ["what is within is not whole", nested, { a: runs, b: runs, c: waits }, false],
  ["a PodGroup without pods is not", flat(2), { a: runs }, false],
  ["its number can not be used", { root: { needs: "x" }, a: inRoot }, { a: runs }, false],
];

for (const [what, trees, pods, isScheduled] of scheduled) {
  Deno.test(`outlook of a composite: ${what}`, () => {
    assertEquals(outlookOf(trees, { pods })?.isScheduled, isScheduled);
  });
}

const waiting = { a: waits, b: waits };

Deno.test("outlook of a composite: why it waits is what the first gang is told that waits for more than members", () => {
  const refused = { b: "no room for b", a: "no room for a" };
  const obstacleTo = (pods: Pods) => outlookOf(flat(2), { pods, refused })?.obstacle;
  assertEquals(obstacleTo(waiting), { reason: "Unschedulable", message: "no room for a" });
  assertEquals(obstacleTo({ a: runs, b: waits })?.message, "no room for b");
  assertEquals(obstacleTo({ b: waits })?.message, "no room for b");
  assertEquals(obstacleTo({ a: ["Pending@n"], b: runs }), undefined);
  assertEquals(outlookOf(flat(2), { pods: waiting })?.obstacle, undefined);
});

Deno.test("outlook of a composite: functions that do not answer are no reason, members of other schedulers are one", () => {
  const obstacleTo = (verdict: Verdict, pods: Pods = waiting) =>
    outlookOf(flat(2), { pods, refused: { a: verdict } })?.obstacle;
  const message = "m";
  assertEquals(
    obstacleTo({ verdict: "reject", reason: "FunctionsUnreachable", message }),
    undefined,
  );
  assertEquals(obstacleTo({ verdict: "allow", reason: "Admitted", message }), undefined);
  const mismatch = { verdict: "allow", reason: "SchedulerMismatch", message } as const;
  assertEquals(obstacleTo(mismatch, { a: ["Failed"] }), { reason: "Unschedulable", message });
});

const malformed: [what: string, trees: Trees, says: string][] = [
  [
    "a circle",
    { root: { needs: 1, parent: "c" }, c: { needs: 1, parent: "root" }, a: { parent: "c" } },
    "in a circle",
  ],
  [
    "too deep",
    {
      root: { needs: 1 },
      c1: { needs: 1, parent: "root" },
      c2: { needs: 1, parent: "c1" },
      c3: { needs: 1, parent: "c2" },
      a: { parent: "c3" },
    },
    "more than 3 CompositePodGroups",
  ],
  ["a topology that is none", { root: { needs: 1, topology: "a b" }, a: inRoot }, "topology"],
];

for (const [what, trees, says] of malformed) {
  Deno.test(`outlook of a composite: a tree that can not be kept is invalid: ${what}`, () => {
    const { isScheduled, obstacle } = outlookOf(trees, { pods: { a: waits } })!;
    assertEquals([isScheduled, obstacle?.reason], [false, "Invalid"]);
    assertEquals(obstacle?.message.includes(says), true, obstacle?.message);
  });
}

Deno.test("outlook of a composite: what is missing may come, and is not invalid", () => {
  const trees = { root: { needs: 2, parent: "none" }, a: inRoot };
  const told = "gang default/a waits for its CompositePodGroup";
  const { obstacle } = outlookOf(trees, { pods: { a: waits }, refused: { a: told } })!;
  assertEquals(obstacle, { reason: "Unschedulable", message: told });
});

Deno.test("outlook of a composite: without a member of Muster's there is none", () => {
  assertEquals(outlookOf(flat(2), { pods: {} }), undefined);
  const pods = { a: runs, b: runs };
  assertEquals(outlookOf(flat(2), { pods, foreign: ["a", "b"] }), undefined);
  assertEquals(outlookOf(flat(2), { pods, foreign: ["a"] })?.isScheduled, true);
});

Deno.test("outlook of a composite: pods that name another PodGroup by the same name are not its members", () => {
  const cluster = new Cluster(silent, { schedulerNames: ["muster"] });
  cluster.compositeChanged(groupOf("root", { needs: 1 }));
  cluster.podGroupChanged(nativePodGroup, groupOf("a", inRoot));
  const labels = { "pod-group.scheduling.sigs.k8s.io/name": "a" };
  cluster.podChanged(
    podOf({ name: "a-0", phase: "Running", nodeName: "n", labels, schedulerName: "muster" }),
  );
  const outlook = compositeOutlook(groupOf("root", { needs: 1 }), {
    hierarchy: cluster.podGroups.hierarchyOf("default"),
    gangOf: (gang) => cluster.gangs.get(gang),
    verdictOf: () => undefined,
  });
  assertEquals(outlook, undefined);
});
