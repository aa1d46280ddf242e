import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { type List, MemberLists } from "../../shared/cluster/member_lists.ts";
import { parkedAnnotation, type PodRecord } from "../../shared/cluster/pod_record.ts";
import { gangFactsOf } from "../../shared/cluster/snapshot.ts";
import { ownGate } from "../../shared/kubernetes/counting/census.ts";
import { podGroupKinds } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { runs } from "../property/runs.ts";
import { callTo, podOf } from "../support/objects.ts";

const labels = { "scheduling.x-k8s.io/pod-group": "train" };
const kind = podGroupKinds.find(({ group }) => group === "scheduling.x-k8s.io")!;

/** Something that happens to one of five members, or to their PodGroup. */
type Happening =
  | { readonly is: "shown"; readonly pod: Pod }
  | { readonly is: "held" | "let go" | "bound" | "ungated" | "gone"; readonly name: string }
  | { readonly is: "pod group"; readonly age: number };

const names = fc.constantFrom("a", "b", "c", "d", "e");

const pods: fc.Arbitrary<Pod> = fc.record({
  name: names,
  phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed"),
  nodeName: fc.constantFrom(undefined, undefined, "n"),
  isTerminating: fc.boolean(),
  isParked: fc.boolean(),
  isGated: fc.boolean(),
  schedulerName: fc.constantFrom("muster", "other"),
  condition: fc.constantFrom(undefined, "0/1 nodes are available"),
  nominatedNodeName: fc.constantFrom(undefined, "n"),
  age: fc.constantFrom(0, 100),
}).map(({ isParked, isGated, condition, nominatedNodeName, nodeName, ...parts }) => {
  const pod = podOf({
    ...parts,
    labels,
    ...(nodeName && { nodeName }),
    ...(isParked && { annotations: { [parkedAnnotation]: "true" } }),
    ...(isGated && { schedulingGates: [{ name: ownGate }] }),
  });
  const says = condition && {
    conditions: [{
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: condition,
    }],
  };
  return { ...pod, status: { ...pod.status, nominatedNodeName, ...says } } as Pod;
});

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ is: fc.constant("shown" as const), pod: pods }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constantFrom("held", "let go", "bound", "ungated", "gone"),
      name: names,
    }),
  },
  fc.record({ is: fc.constant("pod group" as const), age: fc.constantFrom(50, 200) }),
);

/** A cluster to which these things have happened; its gang is looked at after each. */
function clusterAfter(happenings: readonly Happening[]): Cluster {
  const listener = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
  const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
  for (const happening of happenings) {
    happens(happening, cluster);
    cluster.gangs.get("default/train")?.lists.census();
  }
  return cluster;
}

function happens(happening: Happening, cluster: Cluster): void {
  if (happening.is === "shown") return cluster.podChanged(happening.pod);
  if (happening.is === "pod group") {
    const { metadata } = podOf({ name: "train", age: happening.age });
    const apiVersion = `${kind.group}/${kind.versions[0]}`;
    return cluster.podGroupChanged(kind, { apiVersion, metadata, spec: { minMember: 2 } });
  }
  const record = cluster.pods.get(`uid-${happening.name}`);
  if (record) change(record, { is: happening.is, cluster });
}

function change(
  record: PodRecord,
  { is, cluster }: { is: "held" | "let go" | "bound" | "ungated" | "gone"; cluster: Cluster },
): void {
  switch (is) {
    case "held":
      return cluster.podHeld(record, callTo("n", record));
    case "let go":
      return cluster.podLetGo(record);
    case "bound":
      return cluster.podBound(record, "n");
    case "ungated":
      return record.isUngated ? cluster.podStillGated(record) : cluster.podUngated(record);
    case "gone":
      return cluster.podDeleted(record.pod);
  }
}

const lists: readonly List[] = [
  "pending",
  "gated",
  "bound",
  "succeeded",
  "failed",
  "terminating",
  "foreign",
  "held",
  "running",
  "waiting",
  "behind own gate",
  "parked",
  "unschedulable",
  "nominated",
];

function namesIn(memberLists: MemberLists): Record<string, string[]> {
  return Object.fromEntries(lists.map((list) => [
    list,
    [...memberLists.in(list)].map(({ pod }) => pod.metadata.name).sort(),
  ]));
}

Deno.test("property: members kept in lists as they change stand where they would if all were listed anew", () => {
  fc.assert(
    fc.property(fc.array(happenings, { minLength: 1, maxLength: 30 }), (happened) => {
      const gang = clusterAfter(happened).gangs.get("default/train");
      if (!gang || gang.members.size === 0) return;
      const anew = new MemberLists(gang.members.values(), gang.lists.beside);
      assertEquals(namesIn(gang.lists), namesIn(anew));
      assertEquals(new Set(gang.lists.calls().keys()), new Set(anew.calls().keys()));
    }),
    runs(500),
  );
});

Deno.test("facts: every member that counts is held or in one class, whatever happens", () => {
  fc.assert(
    fc.property(fc.array(happenings, { minLength: 1, maxLength: 30 }), (happened) => {
      const gang = clusterAfter(happened).gangs.get("default/train");
      if (!gang || gang.members.size === 0) return;
      const { census, held } = gangFactsOf(gang);
      const { running, foreign = 0, ...classes } = census;
      const sum = Object.values(classes).reduce((sum, count) => sum + count, foreign + held.length);
      assertEquals(sum, gang.counted().length);
      assertEquals(running <= census.bound, true);
    }),
    runs(500),
  );
});
