import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { endingIn } from "../../shared/cluster/ending.ts";
import { groupTimes, learn } from "../../shared/cluster/gang_times.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { at, now } from "../support/facts.ts";
import { container, podOf, type PodParts } from "../support/objects.ts";

const labels = {
  "pod-group.scheduling.sigs.k8s.io/name": "tf",
  "pod-group.scheduling.sigs.k8s.io/min-available": "2",
};
const hour = { "muster.scheduling/expected-duration": "1h" };
const silent = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
const gang = { namespace: "default", name: "tf", minMember: 2, createdAt: at(-60) };

interface Ran {
  /** Seconds from now. */
  readonly started?: number;
  readonly ended?: number;
}

function member(name: string, { started, ended, ...parts }: PodParts & Ran = {}): Pod {
  const pod = podOf({ name, labels, nodeName: "n", annotations: hour, ...parts });
  const finished = ended === undefined ? {} : {
    containerStatuses: [{ state: { terminated: { finishedAt: at(ended) } } }],
  };
  const start = started === undefined ? {} : { startTime: at(started) };
  return { ...pod, status: { ...pod.status, ...start, ...finished } };
}

function clusterOf(pods: readonly Pod[], expectedSeconds?: number): Cluster {
  const cluster = new Cluster(silent, { expectedSeconds });
  for (const pod of pods) cluster.podChanged(pod);
  return cluster;
}

function timesIn(cluster: Cluster, at = now) {
  return groupTimes([{ gang }], { cluster, groupOf: () => undefined, now: at })["default/tf"];
}

const running = { phase: "Running", started: -600 };

const table: [about: string, pods: Pod[], expect: [started?: string, ended?: string]][] = [
  ["without a node none has started", [member("a", { nodeName: "" })], []],
  ["the first start is the gang's", [member("a", running), member("b", { started: -500 })], [
    at(-600),
  ]],
  [
    "while one runs it has not ended",
    [member("a", running), member("b", { phase: "Succeeded", started: -700, ended: -10 })],
    [at(-700)],
  ],
  [
    "it ends with the last one",
    [
      member("a", { phase: "Failed", started: -700, ended: -10 }),
      member("b", { phase: "Succeeded", started: -600, ended: -5 }),
    ],
    [at(-700), at(-5)],
  ],
  ["an end that nobody tells is not known", [
    member("a", { phase: "Succeeded", started: -700 }),
  ], [at(-700)]],
];

for (const [about, pods, [started, ended]] of table) {
  Deno.test(`times of a gang: ${about}`, () => {
    const { startedAt, endedAt } = timesIn(clusterOf(pods))!;
    assertEquals([startedAt, endedAt], [started, ended]);
  });
}

Deno.test("times of a gang: a member that changes is seen", () => {
  const cluster = clusterOf([member("a", running)]);
  assertEquals(timesIn(cluster)?.startedAt, at(-600));
  cluster.podChanged(member("a", { phase: "Running", started: -900 }));
  assertEquals(timesIn(cluster)?.startedAt, at(-900));
  cluster.podDeleted(member("a"));
  cluster.podChanged(member("b", { phase: "Running", started: -9 }));
  assertEquals(timesIn(cluster)?.startedAt, at(-9));
});

Deno.test("times of a gang: what it declares, else what is learnt, else the setting", () => {
  const silentGang = [member("a", { ...running, annotations: {} })];
  const cluster = clusterOf(silentGang, 60);
  assertEquals(timesIn(cluster)?.runTime, { seconds: 60, source: "setting" });
  const learnt = { seconds: 90, source: "learnt", runs: 3 } as const;
  learn([{ gang }], { cluster, runTimes: { "default/tf": learnt }, now });
  assertEquals(timesIn(cluster)?.runTime, learnt);
  learn([{ gang }], { cluster, runTimes: {}, now });
  assertEquals(timesIn(cluster)?.runTime, learnt, "only a gang of its group has asked");
  assertEquals(timesIn(clusterOf([member("a", running)], 60))?.runTime?.seconds, 3600);
  assertEquals(timesIn(clusterOf(silentGang))?.runTime, undefined);
});

Deno.test("times of a gang: what is learnt is asked for, and again after ten minutes", () => {
  const cluster = clusterOf([member("a", { annotations: {} })]);
  assertEquals(timesIn(cluster)?.asks, true);
  learn([{ gang }], { cluster, runTimes: {}, now });
  assertEquals([599_999, 600_000].map((ms) => timesIn(cluster, now + ms)?.asks), [undefined, true]);
  assertEquals(timesIn(clusterOf([member("a")]))?.asks, true);
  const ended = member("a", { annotations: {}, activeDeadlineSeconds: 60 });
  assertEquals(timesIn(clusterOf([ended]))?.asks, undefined);
});

const anHour = { activeDeadlineSeconds: 3600, annotations: {} };
const saidAndLearnt: [about: string, said: PodParts, learnt: number, source: string][] = [
  ["what it declares, where gangs like it ran no longer", {}, 3600, "declared"],
  ["what is learnt, where they ran for longer than it declares", {}, 3601, "learnt"],
  ["its deadline, which none outlives", anHour, 3601, "deadline"],
];
for (const [about, said, seconds, source] of saidAndLearnt) {
  Deno.test(`times of a gang: ${about}`, () => {
    const cluster = clusterOf([member("a", { ...running, ...said })]);
    const runTimes = { "default/tf": { seconds, source: "learnt", runs: 3 } as const };
    learn([{ gang }], { cluster, runTimes, now });
    assertEquals(timesIn(cluster)?.runTime?.source, source);
    assertEquals(
      endingIn(cluster, now)[0]?.endsAt,
      Date.parse(at(-600)) + 1000 * (source === "learnt" ? 3601 : 3600),
    );
  });
}

Deno.test("times of a gang: what it asks for together, and the kind of its owner", () => {
  const pods = ["a", "b"].map((name) => {
    const pod = member(name, { containers: [container({ cpu: "500m", "nvidia.com/gpu": "2" })] });
    const ownerReferences = [{ kind: "Other", name: "x" }, {
      kind: "Job",
      name: "x",
      controller: true,
    }];
    return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
  });
  const { requests, owner } = timesIn(clusterOf(pods))!;
  assertEquals({ requests, owner }, {
    requests: { cpu: 1000, "nvidia.com/gpu": 4 },
    owner: "Job",
  });
});

Deno.test("what ends: gangs that run, when, and what room that leaves", () => {
  const pods = ["a", "b"].map((name) =>
    member(name, { ...running, containers: [container({ cpu: "1" })] })
  );
  const [ending, ...others] = endingIn(clusterOf(pods), now);
  assertEquals(others, []);
  const { id, endsAt, uses } = ending!;
  assertEquals([id, endsAt], ["default/tf", now + 3000_000]);
  assertEquals(uses.map(({ node, count }) => [node, count]), [["n", 2]]);
});

Deno.test("what ends: not what waits, has ended, or runs for nobody knows how long", () => {
  const cases = [
    member("a", { nodeName: "" }),
    member("a", { phase: "Succeeded", started: -9, ended: -1 }),
    member("a", { ...running, annotations: {} }),
  ];
  assertEquals(cases.map((pod) => endingIn(clusterOf([pod]), now)), [[], [], []]);
});

Deno.test("what ends: a gang whose members were all asked to, when the last is to be gone, whatever it said", () => {
  const leaving = (name: string, seconds: number, annotations = hour as Record<string, string>) => {
    const pod = member(name, { ...running, annotations });
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: at(seconds) } };
  };
  const endsOf = (...pods: Pod[]) => endingIn(clusterOf(pods), now).map(({ endsAt }) => endsAt);
  assertEquals(endsOf(leaving("a", 5), leaving("b", 9)), [now + 9000]);
  assertEquals(endsOf(leaving("a", 5, {})), [now + 5000]);
  assertEquals(endsOf(leaving("a", 5), member("b", running)), [now + 3000_000]);
});

Deno.test("what ends: members that are held take their room as long as if they ran", () => {
  const cluster = clusterOf([member("a", { nodeName: "" })]);
  const [record] = [...cluster.pods.values()];
  const pod = { namespace: "default", name: "a", uid: record!.pod.metadata.uid, node: "n" };
  cluster.podHeld(record!, { id: 1, pod, gang: "default/tf", openedAt: now, isGranted: false });
  assertEquals(endingIn(cluster, now).map(({ endsAt }) => endsAt), [now + 3600_000]);
});
