import { assertEquals } from "@std/assert";
import { type AuditEvent, relayUser } from "../../../tools/control_plane/audit.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { applyManifests } from "../../../tools/control_plane/manifests.ts";
import {
  compositePodGroupArgs,
  compositePodGroups,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { untilSwitched } from "../support/gates.ts";
import { addNode, progress } from "../support/on_cluster.ts";
import {
  apiVersionOf,
  installPodGroups,
  type PodGroupApi,
  PodGroups,
} from "../support/pod_groups.ts";
import { membersOf, Space } from "../support/space.ts";
import { until } from "../support/until.ts";
import { type InstalledPod, manifestsOf, startInstalledPod } from "./installed.ts";
import { allows, describe, needOf, permissionsOf } from "./rules.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const inMuster = `${rbac}/namespaces/muster-system/roles`;
const namespace = "default";

let controlPlane: ControlPlane;
let pod: InstalledPod;

Deno.test.beforeAll(async () => {
  controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-permissions-" }),
    auditLog: true,
    onProgress: progress,
    extraApiServerArgs: compositePodGroupArgs,
  });
  const { api } = controlPlane;
  // Admission hears of it only after a while.
  await api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "high" },
    value: 1000,
  });
  await addNode(controlPlane, { name: "node-1", gpus: 2 });
  for (const group of Object.keys(customSpecs)) {
    await installPodGroups(api, group as PodGroupApi, { withoutSubresource: true });
  }
  await applyManifests(api, await manifestsOf("embedded-admission"));
  pod = await startInstalledPod(controlPlane);
});

Deno.test.afterAll(async () => {
  await controlPlane.stop();
  await Deno.remove(controlPlane.dir, { recursive: true });
});

/** A PodGroup of each kind that is a custom resource. */
const customSpecs: Record<PodGroupApi, object> = {
  "scheduling.sigs.k8s.io": { minMember: 2 },
  "scheduling.x-k8s.io": { minMember: 2 },
  "incubator.scheduling.k8s.io": { minMembers: 2 },
  "scheduling.volcano.sh": { minMember: 2 },
  "scheduling.run.ai": { minMember: 2 },
};

/** Everything that the relay ever does on the API server. */
async function liveThroughEverything(): Promise<void> {
  const { api } = controlPlane;
  const space = new Space(api, namespace);
  for (const [group, spec] of Object.entries(customSpecs)) {
    const apiVersion = apiVersionOf(group as PodGroupApi);
    await new PodGroups(api, { apiVersion, namespace }).create("some", spec);
  }
  await space.create("volcano-0", { annotations: { "scheduling.volcano.sh/group-name": "some" } });
  await new PodGroups(api, { apiVersion: nativePodGroups.apiVersion, namespace })
    .create("native", { schedulingPolicy: { gang: { minCount: 1 } } });
  await space.create("native-0", { spec: { schedulingGroup: { podGroupName: "native" } } });
  const { apiVersion } = compositePodGroups;
  await api.create(`/apis/${apiVersion}/namespaces/${namespace}/compositepodgroups`, {
    apiVersion,
    kind: "CompositePodGroup",
    metadata: { name: "whole" },
    spec: {
      workloadRef: { workloadName: "any", templateName: "any" },
      schedulingPolicy: { basic: {} },
    },
  });
  await new PodGroups(api, { apiVersion: nativePodGroups.apiVersion, namespace })
    .create("part", {
      workloadRef: { workloadName: "any", templateName: "any" },
      parentCompositePodGroupName: "whole",
      schedulingPolicy: { gang: { minCount: 1 } },
    });
  await space.create("part-0", { spec: { schedulingGroup: { podGroupName: "part" } } });

  await space.createGang("malformed", { size: 1, minAvailable: "five" });
  await space.untilEvent("an event says so", ({ pod }) => pod === "malformed-0");

  await space.createGang("first", { size: 2, gpus: 1 });
  await space.untilBound(membersOf("first", 2));
  await space.createGang("second", { size: 2, gpus: 1 });
  await untilSwitched(api, "on");
  await space.createGang("third", { size: 2, gpus: 1 });
  await space.untilTold(membersOf("third", 2), "Muster:");
  await space.delete(...membersOf("first", 2));
  await space.untilBound(membersOf("second", 2));
  await space.delete(...membersOf("second", 2));
  await space.untilBound(membersOf("third", 2));

  await space.createGang("high", { size: 2, gpus: 1, spec: { priorityClassName: "high" } });
  await space.untilBound(membersOf("high", 2));

  // As after a restart of the scheduler, whose call is ahead of the relay's watch.
  const unseen = { PodNamespace: namespace, PodName: "third-0", PodUID: "unseen", Node: "node-1" };
  const response = await fetch(`${pod.url}/extender/bind`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(unseen),
  });
  assertEquals((await response.json()).Error.includes("is gone"), true);
}

async function eventsOf(isWanted: (userAgent: string) => boolean): Promise<AuditEvent[]> {
  return (await controlPlane.auditEvents()).filter(({ user, userAgent }) =>
    user.username === relayUser && isWanted(userAgent ?? "")
  );
}

/** Fails unless roles allow what was asked of the API server, and nothing besides. */
async function assertExact(
  roles: KubernetesObject[],
  events: () => Promise<AuditEvent[]>,
): Promise<void> {
  const permissions = permissionsOf(roles);
  const needs = async () => (await events()).flatMap((event) => needOf(event) ?? []);
  await until("the use of every permission", async () => {
    const used = await needs();
    const unused = permissions.filter((permission) =>
      !used.some((need) => allows(permission, need))
    );
    if (unused.length === 0) return true;
    throw new Error(`The role allows what nobody uses: ${unused.map(describe).join(", ")}`);
  });
  const lacking = (await needs()).filter((need) =>
    !permissions.some((permission) => allows(permission, need))
  );
  assertEquals([...new Set(lacking.map(describe))], [], "the role lacks what is used");
}

/** Both use the ServiceAccount of their Pod. */
function isScheduler(userAgent: string): boolean {
  return userAgent.startsWith("kube-scheduler/");
}

Deno.test({
  name: "the relay's roles allow what it does, and nothing else",
  // The control plane's processes write and end while a test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const { api } = controlPlane;
    await liveThroughEverything();
    await assertExact([
      await api.get(`${rbac}/clusterroles/muster-relay`),
      await api.get(`${inMuster}/muster-relay-lease`),
      await api.get(`${inMuster}/muster-relay-gate`),
    ], () => eventsOf((userAgent) => !isScheduler(userAgent)));
  },
});

Deno.test({
  name: "the scheduler's role beside those of Kubernetes allows its lease, and nothing else",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const role = await controlPlane.api.get(`${inMuster}/muster-scheduler`);
    await assertExact(
      [role],
      async () =>
        (await eventsOf(isScheduler)).filter(({ objectRef, verb }) =>
          // system:kube-scheduler lets it create every lease.
          objectRef?.resource === "leases" && verb !== "create"
        ),
    );
  },
});
