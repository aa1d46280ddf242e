import { assertEquals } from "@std/assert";
import { kaiPodGroup, volcanoPodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { podGroupStatus } from "../../../shared/kubernetes/status/pod_group_status.ts";
import type { PodGroupStatus, StatusFacts } from "../../../shared/kubernetes/status/summary.ts";
import { podOf } from "../../support/objects.ts";

const now = "2026-01-01T12:00:00Z";

/** Status of a PodGroup with minMember 3, whose pods are in these phases; `Pending@node` has a node. */
function statusOf(
  pods: readonly string[],
  { before = {}, schedulerNames = ["muster", "volcano"], refusal, minMember = 3 }: {
    before?: PodGroupStatus;
    schedulerNames?: string[];
    refusal?: StatusFacts["refusal"];
    minMember?: number | null;
  } = {},
): PodGroupStatus | undefined {
  const members = pods.map((text, index) => {
    const [phase = "", node = phase === "Pending" ? undefined : "node-1"] = text.split("@");
    return {
      pod: podOf({ name: `p-${index}`, phase, ...(node !== undefined && { nodeName: node }) }),
    };
  });
  const apiVersion = "scheduling.volcano.sh/v1beta1";
  const facts = {
    minMember: minMember ?? undefined,
    members,
    now,
    apiVersion,
    schedulerNames,
    ...(refusal && { refusal }),
  };
  return podGroupStatus(volcanoPodGroup, { before, facts });
}

/** The phases that Volcano's operators know, by what there is of the gang and what the phase was. */
const phases: [title: string, pods: string[], before: string | undefined, phase: string][] = [
  ["before any pod exists, a new one", [], undefined, "Inqueue"],
  ["before any pod exists, one that KubeRay creates", [], "Pending", "Inqueue"],
  ["with too few pods", ["Pending"], "Inqueue", "Inqueue"],
  ["whole, and without room", ["Pending", "Pending", "Pending"], "Inqueue", "Inqueue"],
  ["while bindings are written", ["Pending@a", "Pending@a", "Pending"], "Inqueue", "Inqueue"],
  ["placed", ["Pending@a", "Pending@a", "Pending@b"], "Inqueue", "Running"],
  ["running", ["Running", "Running", "Running"], "Running", "Running"],
  ["running with one that has ended", ["Running", "Running", "Succeeded"], "Running", "Running"],
  ["running in part", ["Running", "Running"], "Running", "Unknown"],
  ["running in part, with one that waits", ["Running", "Running", "Pending"], "Unknown", "Unknown"],
  ["whole again", ["Running", "Running", "Running"], "Unknown", "Running"],
  ["restarted: it never falls back behind Inqueue", [], "Running", "Inqueue"],
  ["with new pods after it was over", ["Pending", "Pending", "Pending"], "Completed", "Inqueue"],
  ["with all that succeeded", ["Succeeded", "Succeeded", "Succeeded"], "Running", "Completed"],
  ["with one that failed", ["Succeeded", "Succeeded", "Failed"], "Running", "Completed"],
  ["over, and its pods are cleaned up", [], "Completed", "Completed"],
];

for (const [title, pods, before, phase] of phases) {
  Deno.test(`Volcano's status: the phase of a gang ${title}, is ${phase}`, () => {
    const status = statusOf(pods, { ...(before !== undefined && { before: { phase: before } }) });
    assertEquals(status?.["phase"], phase);
  });
}

Deno.test("Volcano's status: without pods it is Muster's only where Muster answers to the name volcano", () => {
  assertEquals(statusOf([], { schedulerNames: ["muster"] }), undefined);
  assertEquals(statusOf(["Pending"], { schedulerNames: ["muster"] })?.["phase"], "Inqueue");
});

Deno.test("Volcano's status: without pods it is followed where it told of Muster's pods, which are gone, and not where it told of Volcano's", () => {
  const schedulerNames = ["muster"];
  const ran = statusOf(["Running", "Running", "Running"], { schedulerNames });
  const gone = statusOf([], { before: ran!, schedulerNames });
  assertEquals([gone?.["phase"], gone?.["running"]], ["Inqueue", 0]);
  const refusal = { reason: "InsufficientResources", message: "gang a/b needs room" };
  const waits = statusOf(["Pending", "Pending", "Pending"], { schedulerNames, refusal });
  const left = statusOf([], { before: waits!, schedulerNames });
  assertEquals(told(left), ["Unschedulable False MembersMissing"]);
  assertEquals(told(statusOf([], { before: { ...waits, ...left }, schedulerNames })), []);
  const message = "3/3 tasks in gang unschedulable: pod group is not ready, 3 Pending";
  const condition = {
    type: "Unschedulable",
    status: "True",
    reason: "NotEnoughResources",
    message,
  };
  const before = { phase: "Running", running: 2, conditions: [condition] };
  assertEquals(statusOf([], { before, schedulerNames }), undefined);
});

Deno.test("Volcano's status: without a usable quorum pods may come all the same, and say what is wrong", () => {
  assertEquals(statusOf(["Pending"], { minMember: null })?.["phase"], "Inqueue");
});

Deno.test("Volcano's status: counts, and those of a gang that is over stay", () => {
  const status = statusOf(["Running", "Succeeded", "Failed", "Pending@a"]);
  assertEquals([status?.["running"], status?.["succeeded"], status?.["failed"]], [1, 1, 1]);
  const before = { phase: "Completed", running: 0, succeeded: 2, failed: 1 };
  const after = statusOf([], { before });
  assertEquals([after?.["succeeded"], after?.["failed"]], [2, 1]);
});

type Told = { type: string; status: string; reason: string }[];

function told(status: PodGroupStatus | undefined): string[] {
  return ((status?.["conditions"] ?? []) as Told)
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`);
}

Deno.test("Volcano's status: its conditions tell why a gang is not placed, and that it is", () => {
  const whole = ["Pending", "Pending", "Pending"];
  const short = { reason: "InsufficientResources", message: "no room" };
  const waits = statusOf(whole, { refusal: short });
  assertEquals(told(waits), ["Unschedulable True NotEnoughResources"]);
  const bound = statusOf(["Pending@a", "Pending@a", "Pending@a"], { before: waits! });
  assertEquals(told(bound), ["Unschedulable False Scheduled", "Scheduled True Scheduled"]);
  const refusal = { reason: "Degraded", message: "runs with 2 of 3" };
  const lost = statusOf(["Running", "Running"], { before: bound!, refusal });
  assertEquals(told(lost), ["Unschedulable True NotEnoughTasks", "Scheduled True Scheduled"]);
  const replaced = statusOf(["Running", "Running", "Pending"], { before: lost!, refusal });
  assertEquals(told(replaced), [
    "Unschedulable True NotEnoughResources",
    "Scheduled True Scheduled",
  ]);
});

Deno.test("PodGroup status: nothing is said on a PodGroup of KAI, whose status is its own", () => {
  const facts = { minMember: 1, members: [{ pod: podOf() }], now, schedulerNames: ["muster"] };
  const apiVersion = "scheduling.run.ai/v2alpha2";
  assertEquals(
    podGroupStatus(kaiPodGroup, { before: {}, facts: { ...facts, apiVersion } }),
    undefined,
  );
});
