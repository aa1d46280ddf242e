import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { relayUser } from "../../../tools/control_plane/audit.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { applyManifests } from "../../../tools/control_plane/manifests.ts";
import { versions } from "../../../tools/control_plane/programs.ts";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { addNode, progress } from "../support/on_cluster.ts";
import { membersOf, Space } from "../support/space.ts";
import { deploy, manifestsOf, overlays, startInstalledPod } from "./installed.ts";

/** Before Kubernetes 1.36 the API server has no MutatingAdmissionPolicy of v1. */
const hasAdmission = Number(versions.kubernetes.split(".")[1]) >= 36;

let controlPlane: ControlPlane;
const inMuster = "namespaces/muster-system";

Deno.test.beforeAll(async () => {
  controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-install-" }),
    auditLog: true,
    onProgress: progress,
  });
  await Promise.all(["node-1", "node-2"].map((name) => addNode(controlPlane, { name, gpus: 2 })));
});

Deno.test.afterAll(async () => {
  await controlPlane.stop();
  await Deno.remove(controlPlane.dir, { recursive: true });
});

/** Every test shares the control plane's processes. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, sanitizeOps: false, sanitizeResources: false, fn });
}

function isRolledOut({ metadata, ...deployment }: KubernetesObject): boolean {
  const { observedGeneration, updatedReplicas, availableReplicas, replicas } = deployment["status"];
  return observedGeneration === (metadata as { generation?: number }).generation &&
    [updatedReplicas, availableReplicas, replicas].every((count) => count === 2);
}

test("every overlay is applied, and two Pods of it run under the namespace's restrictions", async () => {
  const plain = await startScheduler(controlPlane);
  for (const overlay of overlays) {
    if (overlay.endsWith("-admission") && !hasAdmission) continue;
    progress(`applying overlay ${overlay}`);
    await applyManifests(controlPlane.api, await manifestsOf(overlay));
    await controlPlane.api.watchUntil(
      `/apis/apps/v1/${inMuster}/deployments`,
      (deployments) => deployments.some(isRolledOut),
      { timeoutMs: 60_000 },
    );
  }
  const pods = await controlPlane.api.list(`/api/v1/${inMuster}/pods`);
  const nodes = pods.filter(({ metadata }) => !metadata.deletionTimestamp)
    .map((pod) => pod["spec"].nodeName);
  assertEquals(nodes.sort(), ["node-1", "node-2"]);
  await plain.process.stop();
});

test("the ConfigMap of the scheduler is the file that every other scheduler of Muster's runs with", async () => {
  const file = await Deno.readTextFile(join(deploy, "base/scheduler_config.yaml"));
  const configMaps = await controlPlane.api.list(`/api/v1/${inMuster}/configmaps`);
  const texts = configMaps.map((configMap) => configMap["data"]["scheduler_config.yaml"])
    .filter((text) => text !== undefined);
  assertEquals(texts, [file]);
});

test("the disruption budget lets one of the two Pods go", async () => {
  await controlPlane.api.watchUntil(
    `/apis/policy/v1/${inMuster}/poddisruptionbudgets`,
    ([budget]) =>
      budget?.["status"]?.disruptionsAllowed === 1 && budget["status"].expectedPods === 2,
  );
});

test("scheduler and relay place a gang, as the Deployment starts them and with its rights alone", async () => {
  const overlay = hasAdmission ? "embedded-admission" : "embedded";
  await applyManifests(controlPlane.api, await manifestsOf(overlay));
  const { relay, scheduler, healthUrl } = await startInstalledPod(controlPlane);
  const { api } = controlPlane;
  const space = new Space(api, "default");
  try {
    await space.createGang("train", {
      size: 3,
      gpus: 1,
      spec: { schedulerName: hasAdmission ? "default-scheduler" : "muster" },
    });
    await space.untilBound(membersOf("train", 3));
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      assertEquals(await statusOf(healthUrl + path), 200, path);
    }
    for (const path of ["/extender/filter", "/v1/gangs"]) {
      assertEquals(await statusOf(healthUrl + path), 404, path);
    }
    const lease = await api.get(`/apis/coordination.k8s.io/v1/${inMuster}/leases/muster-scheduler`);
    assertEquals(lease["spec"].holderIdentity.startsWith(`${Deno.hostname()}_`), true);
    // Without deploy/admission the relay finds out by trying that there is no gate to turn on.
    const refused = (await controlPlane.auditEvents()).filter((
      { user, responseStatus, objectRef },
    ) =>
      user.username === relayUser && responseStatus?.code === 403 &&
      (hasAdmission || objectRef?.resource !== "configmaps")
    );
    assertEquals(refused, []);
  } catch (error) {
    for (const process of [relay, scheduler]) {
      progress(`The end of ${process.name}'s log:\n${await process.logTail(30)}`);
    }
    throw error;
  }
});

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}
