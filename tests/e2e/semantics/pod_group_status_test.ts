import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AuditEvent } from "../../../tools/control_plane/audit.ts";
import {
  nativePodGroupArgs,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import { identities } from "../../../tools/control_plane/identities.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { installPodGroups, type PodGroupApi, PodGroups } from "../support/pod_groups.ts";
import type { PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";
import { until } from "../support/until.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  extraApiServerArgs: nativePodGroupArgs,
}));

interface Context {
  cluster: Cluster;
  space: Space;
}

/** The PodGroups of a custom kind in a test's namespace. */
async function podGroupsOf({ cluster, space }: Context, group: PodGroupApi): Promise<PodGroups> {
  const { api } = cluster.controlPlane;
  await installPodGroups(api, group);
  return new PodGroups(api, { apiVersion: `${group}/v1alpha1`, namespace: space.name });
}

/** Kinds whose status has phases of scheduler-plugins. */
type PhasedApi = Exclude<PodGroupApi, "scheduling.volcano.sh" | "scheduling.run.ai">;

/** How members point to PodGroup `train`, and what it must say. */
const kinds: Record<PhasedApi, { spec: object; member: PodOptions; placed: string | undefined }> = {
  "scheduling.sigs.k8s.io": {
    spec: { minMember: 3 },
    member: { labels: { "pod-group.scheduling.sigs.k8s.io": "train" } },
    placed: "scheduled",
  },
  "scheduling.x-k8s.io": {
    spec: { minMember: 3 },
    member: { labels: { "scheduling.x-k8s.io/pod-group": "train" } },
    placed: undefined,
  },
  "incubator.scheduling.k8s.io": {
    spec: { minMembers: 3 },
    member: { annotations: { "scheduling.k8s.io/group-name": "train" } },
    placed: "admitted",
  },
};

for (const [group, { spec, member, placed }] of Object.entries(kinds)) {
  scenario(
    `a PodGroup of ${group} says how its gang fares, from pending to finished`,
    async (context) => {
      const { cluster, space } = context;
      const podGroups = await podGroupsOf(context, group as PodGroupApi);
      await podGroups.create("train", spec);
      await podGroups.untilStatus("train", ({ phase }) => phase === "Pending");
      const names = membersOf("train", 3);
      await space.create("blocker", { gpus: 4 });
      await space.untilBound(["blocker"]);
      for (const name of names) await space.create(name, { ...member, gpus: 2 });
      await podGroups.untilStatus("train", ({ phase }) => phase === "Scheduling");
      await space.delete("blocker");
      const running = await podGroups.untilStatus("train", ({ running }) => running === 3);
      assertEquals(running.phase, "Running");
      if (placed) assertEquals(running[placed], 3);
      for (const name of names) await finish(context, name);
      const finished = await podGroups.untilStatus("train", ({ phase }) => phase === "Finished");
      assertEquals([finished.running, finished.succeeded, finished.failed], [0, 3, 0]);
      await space.delete(...names);
      // The status outlives its pods: a gang that comes later has been told of by then.
      await podGroups.create("witness", spec);
      await podGroups.untilStatus("witness", ({ phase }) => phase === "Pending");
      const { succeeded } = await podGroups.untilStatus(
        "train",
        ({ phase }) => phase === "Finished",
      );
      assertEquals(succeeded, 3);
      assertEquals(await cluster.muster.process.logTail(1000).then(complaints), []);
    },
  );
}

/** Ends a pod as its kubelet would. */
async function finish({ cluster, space }: Context, name: string): Promise<void> {
  await cluster.controlPlane.api.patch(`${space.path}/${name}/status`, {
    status: { phase: "Succeeded" },
  });
}

function complaints(log: string): string[] {
  return log.split("\n").filter((line) => line.includes("Cannot write the status"));
}

scenario("SP-ST-16 a PodGroup says whose Job its members are", async (context) => {
  const { cluster, space } = context;
  const podGroups = await podGroupsOf(context, "scheduling.sigs.k8s.io");
  await podGroups.create("train", { minMember: 2 });
  await cluster.controlPlane.api.create(`/apis/batch/v1/namespaces/${space.name}/jobs`, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job" },
    spec: {
      parallelism: 2,
      completions: 2,
      template: {
        metadata: { labels: { "pod-group.scheduling.sigs.k8s.io": "train" } },
        spec: {
          schedulerName: "muster",
          restartPolicy: "Never",
          containers: [{ name: "main", image: "none" }],
        },
      },
    },
  });
  const status = await podGroups.untilStatus("train", ({ phase }) => phase === "Finished");
  assertEquals(status.occupiedBy, `${space.name}/job`);
  assertEquals(status.succeeded, 2);
});

scenario(
  "BUG-9 PodGroups of one name in two namespaces count their own members",
  async (context) => {
    const other = { ...context, space: await context.otherSpace() };
    const labels = { "scheduling.x-k8s.io/pod-group": "train" };
    const mine = await podGroupsOf(context, "scheduling.x-k8s.io");
    const others = await podGroupsOf(other, "scheduling.x-k8s.io");
    for (const podGroups of [mine, others]) await podGroups.create("train", { minMember: 2 });
    for (const name of membersOf("train", 2)) await context.space.create(name, { labels });
    await other.space.create("train-0", { labels });
    const { running } = await mine.untilStatus("train", ({ phase }) => phase === "Running");
    assertEquals(running, 2);
    const { phase } = await others.untilStatus("train", () => true);
    assertEquals(phase, "Pending");
  },
);

scenario(
  `a native PodGroup has condition ${nativePodGroups.condition}`,
  async ({ cluster, space }) => {
    const podGroups = new PodGroups(cluster.controlPlane.api, {
      apiVersion: nativePodGroups.apiVersion,
      namespace: space.name,
    });
    await podGroups.create("train", { schedulingPolicy: { gang: { minCount: 3 } } });
    await space.create("blocker", { gpus: 4 });
    await space.untilBound(["blocker"]);
    const names = membersOf("train", 3);
    const spec = { schedulingGroup: { podGroupName: "train" } };
    for (const name of names) await space.create(name, { gpus: 2, spec });
    type Status = {
      conditions?: { type: string; status: string; reason: string; message: string }[];
    };
    const conditionOf = ({ conditions }: Status) =>
      conditions?.find(({ type }) => type === nativePodGroups.condition);
    const waiting = await podGroups.untilStatus(
      "train",
      (status) => conditionOf(status)?.status === "False",
    );
    assertEquals(conditionOf(waiting)?.reason, "Unschedulable");
    assertStringIncludes(conditionOf(waiting)?.message ?? "", "short of nvidia.com/gpu");
    await space.delete("blocker");
    const placed = await podGroups.untilStatus(
      "train",
      (status) => conditionOf(status)?.status === "True",
    );
    assertEquals(conditionOf(placed)?.reason, "Scheduled");
  },
);

/** The kinds above, and Kubernetes' own. */
const everyKind: { apiVersion: string; spec: object; member: PodOptions }[] = [
  ...Object.entries(kinds).map(([group, { spec, member }]) => ({
    apiVersion: `${group}/v1alpha1`,
    spec,
    member,
  })),
  {
    apiVersion: nativePodGroups.apiVersion,
    spec: { schedulingPolicy: { gang: { minCount: 3 } } },
    member: { spec: { schedulingGroup: { podGroupName: "train" } } },
  },
];

/** Whether a status of any kind says that all three members have a node. */
function isPlaced({ running, conditions = [] }: {
  running?: number;
  conditions?: { type: string; status: string }[];
}): boolean {
  return running === 3 ||
    conditions.some(({ type, status }) => type === nativePodGroups.condition && status === "True");
}

for (const { apiVersion, spec, member } of everyKind) {
  scenario(
    `a round costs two writes for each member and two for its PodGroup of ${apiVersion} at most`,
    async (context) => {
      const { cluster, space } = context;
      const { api } = cluster.controlPlane;
      const [group = ""] = apiVersion.split("/");
      if (group in kinds) await installPodGroups(api, group as PodGroupApi);
      const podGroups = new PodGroups(api, { apiVersion, namespace: space.name });
      const names = membersOf("train", 3);
      await podGroups.create("train", spec);
      await podGroups.untilStatus("train", () => true);
      const create = (names: readonly string[]) =>
        Promise.all(names.map((name) => space.create(name, { ...member, gpus: 2 })));
      const before = await writesUntilNow(context, podGroups);
      await create(names);
      await podGroups.untilStatus("train", isPlaced);
      const atOnce = (await writesUntilNow(context, podGroups)).slice(before.length);
      assertFew(atOnce, names);
      if (apiVersion === nativePodGroups.apiVersion && nativePodGroups.isPlacedForGood) return;

      await space.delete(...names);
      await space.create("blocker", { gpus: 4 });
      await space.untilBound(["blocker"]);
      // Names of their own: what deletes a pod for its kubelet may come late, and hit its successor.
      const successors = membersOf("late", 3);
      await create(successors);
      await space.untilTold(successors, "needs room for 3 more members");
      await podGroups.untilStatus("train", (status) => !isPlaced(status));
      const waiting = await writesUntilNow(context, podGroups);
      await space.delete("blocker");
      await podGroups.untilStatus("train", isPlaced);
      const later = (await writesUntilNow(context, podGroups)).slice(waiting.length);
      assertFew(later, successors);
    },
  );
}

/** Fails unless there are one or two writes to each member and to the PodGroup. */
function assertFew(writes: readonly AuditEvent[], members: readonly string[]): void {
  const count = (resource: string, name: string) =>
    writes.filter(({ objectRef }) => objectRef?.resource === resource && objectRef.name === name)
      .length;
  const counts = [
    ["podgroups train", count("podgroups", "train")] as const,
    ...members.map((name) => [`pods ${name}`, count("pods", name)] as const),
  ];
  assertEquals(counts.filter(([, writes]) => writes < 1 || writes > 2), []);
}

/** The relay's writes in a test's namespace, once the audit log has what is written now to PodGroup `train`. */
async function writesUntilNow(
  { cluster, space }: Context,
  podGroups: PodGroups,
): Promise<AuditEvent[]> {
  const isMark = ({ verb, user, objectRef }: AuditEvent) =>
    verb === "patch" && user.username === identities.admin.user &&
    objectRef?.resource === "podgroups" && objectRef.namespace === space.name;
  const { length } = (await cluster.controlPlane.auditEvents()).filter(isMark);
  await podGroups.patch("train", { annotations: { mark: String(length) } });
  let events: AuditEvent[] = [];
  await until("the audit log", async () => {
    events = await cluster.controlPlane.auditEvents();
    return events.filter(isMark).length > length;
  });
  return events.filter(({ user, objectRef }) =>
    user.username === identities.relay.user && objectRef?.namespace === space.name
  );
}
