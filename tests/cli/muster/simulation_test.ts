import { backfillOf } from "../../../shared/core/gang/backfill.ts";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parse } from "yaml";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { noObjects, readManifests } from "../../../cli/muster/simulation/manifests.ts";
import { scoringStrategy } from "../../../cli/muster/simulation/scheduler_choice.ts";
import { simulate } from "../../../cli/muster/simulation/simulation.ts";
import { withManifests } from "../../../cli/muster/simulation/what_if.ts";
import { at, now } from "../../support/facts.ts";
import { job, node, summary, two, verdictsOf } from "../../support/simulated.ts";

Deno.test("simulate: the first in the queue takes its room from those behind it, who say what is short", () => {
  const manifests = job("one", { size: 3 }) + job("two", { size: 2 }) + job("zwei", { size: 1 });
  const verdicts = verdictsOf(manifests, { nodes: two });
  assertEquals(summary(verdicts), [
    "1 gang default/one",
    "- gang default/two",
    "2 gang default/zwei",
  ]);
  assertEquals(
    verdicts[1]!.message,
    "gang default/two needs room for 2 more members and finds it for 1: short of nvidia.com/gpu",
  );
  assertEquals(Object.keys(verdicts[0]!.nodes), [0, 1, 2].map((index) => `default/one-${index}`));
});

Deno.test("simulate: gangs and pods of another scheduler have no part in the queue, and take no room before they have it", () => {
  const spec = "schedulerName: volcano";
  const theirs = job("older", { size: 4, spec }) + `
---
kind: Pod
metadata: { name: single }
spec: { schedulerName: volcano, containers: [{ resources: { limits: { nvidia.com/gpu: "2" } } }] }`;
  const [ours, foreign, ...others] = verdictsOf(theirs + job("ours", { size: 4 }), { nodes: two });
  assertEquals(summary([ours!, foreign!]), ["1 gang default/ours", "- gang default/older"]);
  assertEquals([foreign!.reason, foreign!.isForeign], ["SchedulerMismatch", true]);
  assertStringIncludes(foreign!.message, 'pod older-0 of scheduler "volcano" and 3 more are not');
  assertEquals(others.map(({ title, isForeign, message }) => [title, isForeign, message]), [[
    "pod default/single",
    true,
    'pod default/single of scheduler "volcano" is not Muster\'s to place, so create it anew with spec.schedulerName "muster"',
  ]]);
});

Deno.test("simulate: pods that name no scheduler are the default one's, and those of a gang Muster's where admission says so", () => {
  const single = `
---
kind: Pod
metadata: { name: single }
spec: { containers: [{ name: m }] }`;
  const seen = (schedulerNames: string[], spec = "") =>
    verdictsOf(job("one", { size: 1, spec }) + single, { nodes: two, schedulerNames })
      .map(({ title, starts, reason, namesNoScheduler = false }) =>
        `${title} ${starts ? "starts" : reason}${namesNoScheduler ? ", unnamed" : ""}`
      );
  const foreign = "pod default/single SchedulerMismatch";
  const started = ["gang default/one starts", "pod default/single starts"];
  assertEquals(seen(["muster"]), ["gang default/one starts, unnamed", foreign]);
  assertEquals(seen(["muster"], "schedulerName: muster"), ["gang default/one starts", foreign]);
  assertEquals(seen(["muster", "default-scheduler"]), started);
});

Deno.test("simulate: what a gang declares otherwise than it is used is told, whether it starts or not", () => {
  const annotations = "muster.scheduling/required-toplogy: rack";
  for (const size of [4, 40]) {
    const [verdict] = verdictsOf(job("a", { size, annotations }), { nodes: two });
    assertEquals(verdict!.starts, size === 4);
    assertStringIncludes(verdict!.warnings![0]!, '"muster.scheduling/required-toplogy" is none');
  }
  assertEquals(verdictsOf(job("a", { size: 4 }), { nodes: two })[0]!.warnings, undefined);
});

Deno.test("simulate: where it is known how long others run, a gang that waits is told its start", () => {
  const runs = `
---
kind: Pod
metadata:
  name: long-0
  labels: { pod-group/name: long, pod-group/min-available: "1" }
  annotations: { muster.scheduling/expected-duration: 90m }
spec: { nodeName: a, containers: [{ resources: { limits: { nvidia.com/gpu: "2" } } }] }
status: { phase: Running, startTime: "${at(-1800)}" }`;
  const annotations = "muster.scheduling/expected-duration: 10m";
  const manifests = job("next", { size: 4, annotations });
  const nodes = two + runs;
  const [verdict] = verdictsOf(manifests, { nodes, backfill: "easy" });
  assertEquals(verdict!.starts, false);
  assertEquals(verdict!.estimate, { startsAt: at(3600), after: "default/long" });
  assertEquals(verdict!.runTime, { seconds: 600, source: "declared" });
  assertStringIncludes(
    verdict!.message,
    "it is expected to start at 2026-01-01 13:00 UTC, after gang default/long has ended",
  );
  const [silent] = verdictsOf(manifests, { nodes });
  assertEquals(silent!.estimate, undefined);
  const ended = job("ended", { size: 2 }).replace("spec:", "spec:\n  activeDeadlineSeconds: 900");
  assertEquals(verdictsOf(ended, { nodes })[0]!.runTime, { seconds: 900, source: "deadline" });
});

Deno.test("simulate: pods without a gang go to the fullest nodes, as the configuration that is shipped scores them", () => {
  const single = (name: string) => `
---
kind: Pod
metadata: { name: ${name} }
spec:
  schedulerName: muster
  priority: 1
  containers: [{ resources: { requests: { cpu: "4" }, limits: { nvidia.com/gpu: "1" } } }]`;
  const manifests = job("whole", { size: 1, gpus: 2 }) + single("one") + single("two");
  const verdicts = verdictsOf(manifests, { nodes: two });
  assertEquals(summary(verdicts), [
    "1 pod default/one",
    "2 pod default/two",
    "3 gang default/whole",
  ]);
});

for (const folder of ["base", "components/names"]) {
  Deno.test(`simulate scores nodes as deploy/${folder}/scheduler_config.yaml does`, async () => {
    const path = `../../../deploy/${folder}/scheduler_config.yaml`;
    const { profiles } = parse(await Deno.readTextFile(new URL(path, import.meta.url)));
    for (const { schedulerName: _, ...profile } of profiles) {
      const args = { scoringStrategy };
      assertEquals(profile, { pluginConfig: [{ name: "NodeResourcesFit", args }] });
    }
  });
}

Deno.test("simulate: in strict order nobody passes a gang that waits for room", () => {
  const full = two + `
---
kind: Pod
metadata: { name: old }
spec: { nodeName: a, containers: [{ resources: { limits: { nvidia.com/gpu: "1" } } }] }`;
  const manifests = job("one", { size: 4 }) + job("two", { size: 1 });
  const verdicts = verdictsOf(manifests, { nodes: full, backfill: "none" });
  assertEquals(verdicts.map(({ reason }) => reason), ["InsufficientResources", "BehindInQueue"]);
  assertEquals(summary(verdictsOf(manifests, { nodes: full })), [
    "- gang default/one",
    "1 gang default/two",
  ]);
});

Deno.test("simulate: more nodes like one of the cluster's, without what is on it and what happened to it", () => {
  const nodes = node(
    "a",
    2,
    "unschedulable: true, taints: [{ key: node.kubernetes.io/unschedulable, effect: NoSchedule }]",
  );
  const manifests = job("one", { size: 4 });
  assertStringIncludes(
    verdictsOf(manifests, { nodes })[0]!.message,
    "short of nodes that its members may run on",
  );
  const verdicts = verdictsOf(manifests, { nodes, add: { count: 2, like: "a" } });
  assertEquals(new Set(Object.values(verdicts[0]!.nodes)), new Set(["a-added-1", "a-added-2"]));
});

Deno.test("simulate: a node that is added has the pods of DaemonSets, also where a file has the cluster", () => {
  const daemon = `
---
kind: Pod
metadata: { name: daemon, ownerReferences: [{ kind: DaemonSet, name: d, uid: d }] }
spec: { nodeName: a, containers: [{ resources: { limits: { nvidia.com/gpu: "1" } } }] }`;
  const nodes = node("a", 2) + daemon;
  const verdicts = verdictsOf(job("one", { size: 4 }), { nodes, add: { count: 2, like: "a" } });
  assertStringIncludes(verdicts[0]!.message, "needs room for 4 more members and finds it for 3");
});

/** A pod that waits, since so many seconds. */
function waiting(name: string, seconds: number, more = "", status = ""): string {
  return `
---
kind: Pod
metadata: { name: ${name}, creationTimestamp: "${at(-seconds)}", ${more} }
spec:
  schedulerName: muster
  containers: [{ resources: { limits: { nvidia.com/gpu: "2" } } }]
status: { ${status} }`;
}

const leaves = `deletionTimestamp: "${at(5)}"`;
const pods = waiting("b", 20) + waiting("a", 10) + waiting("c", 30) + waiting("d", 40, leaves) +
  waiting("e", 50, "", "phase: Failed");

Deno.test("simulate: of a file that has the cluster the oldest pod is first, and who leaves or has ended does not wait", () => {
  assertEquals(summary(verdictsOf("", { nodes: two + pods })), [
    "1 pod default/c",
    "2 pod default/b",
    "- pod default/a",
  ]);
});

Deno.test("simulate: manifests are created now, whatever they say of it", () => {
  assertEquals(summary(verdictsOf(pods, { nodes: two })).map((line) => line.slice(-1)), [
    ..."abcde",
  ]);
});

Deno.test("simulate: what a DeviceClass serves is said to be not modelled", () => {
  const deviceClass = `
---
kind: DeviceClass
metadata: { name: accel }
spec: { extendedResourceName: nvidia.com/gpu }`;
  const nodes = `${node("a", 0)}\n${node("b", 0)}`;
  const manifests = job("one", { size: 2 });
  const [waits] = verdictsOf(manifests, { nodes });
  assertEquals([waits?.starts, waits?.notModelled], [false, []]);
  assertStringIncludes(waits!.message, "the largest node that it may run on has 0 nvidia.com/gpu");
  const [starts] = verdictsOf(manifests, { nodes: nodes + deviceClass });
  assertEquals([starts?.starts, starts?.notModelled], [true, ["devices"]]);
});

Deno.test("simulate: priority goes first, and a gang evicts pods of lower priority", () => {
  const nodes = two + `
---
kind: PriorityClass
metadata: { name: high }
value: 100
---
kind: Pod
metadata: { name: low-a }
spec: { nodeName: a, containers: [{ resources: { limits: { nvidia.com/gpu: "2" } } }] }`;
  const manifests = job("first", { size: 1 }) +
    job("urgent", { size: 2, gpus: 2, spec: "priorityClassName: high" });
  const known = readManifests([{ name: "n", text: nodes }], { namespace: "default", now: at(-60) });
  const added = readManifests([{ name: "m", text: manifests }], {
    namespace: "default",
    now: at(0),
  });
  const objects = withManifests(withManifests(noObjects(), known), added);
  const verdicts = simulate(objects, {
    settings: profiles.default,
    now,
    backfill: backfillOf("timed")!,
  });
  assertEquals(summary(verdicts), ["1 gang default/urgent", "- gang default/first"]);
  assertEquals(verdicts[0]!.evicts, ["default/low-a"]);
});

Deno.test("simulate: PodGroups of manifests declare gangs, and a missing one is told", () => {
  const pod = (name: string) => `
---
kind: Pod
metadata: { name: ${name}, labels: { scheduling.x-k8s.io/pod-group: ${name} } }
spec: { containers: [{ name: m }] }`;
  const podGroup = `
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: { name: has }
spec: { minMember: 1 }`;
  const verdicts = verdictsOf(pod("has") + pod("lacks") + podGroup, { nodes: two });
  assertEquals(verdicts.map(({ reason }) => reason), ["Admitted", "InvalidGang"]);
  assertStringIncludes(
    verdicts[1]!.message,
    "waits for its PodGroup: create one named",
  );
});

Deno.test("simulate: members beyond minMember go where room is left", () => {
  const [verdict] = verdictsOf(job("one", { size: 6, minMember: 3 }), { nodes: two });
  assertEquals([verdict!.starts, Object.keys(verdict!.nodes).length], [true, 4]);
});

Deno.test("simulate: a gang that the first try spreads too far starts by another, as Muster lets it try again", () => {
  // The first two would go to a node each, and leave no whole one.
  const small = (index: number) => `
---
kind: Pod
metadata: { name: g-${index}, labels: &g { pod-group/name: g, pod-group/min-available: "3" } }
spec: { containers: [{ resources: { requests: { cpu: "${index === 2 ? 8 : 1}" } } }] }`;
  const [verdict] = verdictsOf(small(0) + small(1) + small(2), { nodes: two });
  // Tried in another order, the large one comes first.
  assertEquals([verdict!.starts, verdict!.nodes["default/g-0"]], [
    true,
    verdict!.nodes["default/g-1"],
  ]);
});

Deno.test("simulate: a regular pod takes room in queue order too", () => {
  const pod = `
---
kind: Pod
metadata: { name: regular }
spec: { containers: [{ resources: { limits: { nvidia.com/gpu: "2" } } }] }`;
  const verdicts = verdictsOf(job("one", { size: 3 }) + pod, { nodes: two });
  assertEquals(summary(verdicts), ["1 gang default/one", "- pod default/regular"]);
});

for (
  const [name, spec] of [
    ["topology spread", "topologySpreadConstraints: [{ whenUnsatisfiable: DoNotSchedule }]"],
    ["volumes", "volumes: [{ persistentVolumeClaim: { claimName: c } }]"],
    ["resource claims", "resourceClaims: [{ name: c }]"],
    ["overhead of its RuntimeClass", "runtimeClassName: kata"],
    [
      "pod anti-affinity",
      "affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } }",
    ],
    [
      "pod affinity",
      "affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] } }",
    ],
  ] as const
) {
  Deno.test(`simulate: says that it does not model ${name}`, () => {
    const [verdict] = verdictsOf(job("one", { size: 1, spec }), { nodes: two });
    assertEquals([verdict!.starts, verdict!.notModelled], [true, [name]]);
  });
}

for (
  const [what, spec] of [
    ["a host port", "hostPort"],
    [
      "anti-affinity by host name",
      "affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [" +
      "{ topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { pod-group/name: one } } }] } }",
    ],
  ] as const
) {
  Deno.test(`simulate: ${what} keeps members from sharing a node`, () => {
    const text = (size: number) =>
      spec === "hostPort"
        ? job("one", { size }).replace("{ name: m,", "{ name: m, ports: [{ hostPort: 8080 }],")
        : job("one", { size, spec });
    const [starts] = verdictsOf(text(2), { nodes: two });
    assertEquals([starts!.starts, starts!.notModelled], [true, []]);
    assertEquals(Object.values(starts!.nodes).sort(), ["a", "b"]);
    const [waits] = verdictsOf(text(3), { nodes: two });
    assertEquals([waits!.starts, waits!.reason], [false, "InsufficientResources"]);
  });
}

/** Nodes of two GPUs each, two in rack r1 and one in r2. */
const racks = node("a", 2, "", "r1") + node("b", 2, "", "r1") + node("c", 2, "", "r2");
const inOneRack = "muster.scheduling/required-topology: rack";

Deno.test("simulate: a gang that wants one rack goes where it is planned, and its rack is told", () => {
  const [verdict] = verdictsOf(job("one", { size: 3, annotations: inOneRack }), { nodes: racks });
  assertEquals(verdict!.domains, ["rack r1"]);
  assertEquals(new Set(Object.values(verdict!.nodes)), new Set(["a", "b"]));
});

Deno.test("simulate: a gang that no rack holds says for how many the best ones have room", () => {
  const [verdict] = verdictsOf(job("one", { size: 5, annotations: inOneRack }), { nodes: racks });
  assertEquals([verdict!.starts, verdict!.domains], [false, undefined]);
  assertStringIncludes(verdict!.message, "rack r1 has room for 4 of 5, r2 for 2");
});

Deno.test("simulate: pods leave for a gang as a whole, and its members go where they were", () => {
  const low = (name: string, gpus: number) => `
---
kind: Pod
metadata: { name: low-${name} }
spec: { nodeName: ${name}, containers: [{ resources: { limits: { nvidia.com/gpu: "${gpus}" } } }] }`;
  const high = `
---
kind: PriorityClass
metadata: { name: high }
value: 100`;
  const [verdict] = verdictsOf(
    high + job("one", { size: 3, spec: "priorityClassName: high", annotations: inOneRack }),
    { nodes: racks + low("a", 2) + low("b", 1) + low("c", 2) },
  );
  assertEquals([verdict!.starts, verdict!.evicts], [true, ["default/low-a"]]);
  assertEquals(Object.values(verdict!.nodes).sort(), ["a", "a", "b"]);
});

Deno.test("simulate: a PriorityClass that nobody knows is an error", () => {
  const manifest =
    "{ kind: Pod, metadata: { name: p }, spec: { containers: [], priorityClassName: none } }";
  const { message } = assertThrows(() => verdictsOf(manifest, { nodes: two }), Error);
  assertStringIncludes(message, 'names PriorityClass "none"');
});
