import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { relayUser } from "../../../tools/control_plane/audit.ts";
import { ApiError, type KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { applyManifests } from "../../../tools/control_plane/manifests.ts";
import { startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { Functions } from "../../../tools/control_plane/functions.ts";
import { addNode, progress } from "../support/on_cluster.ts";
import { TokenKeys } from "../support/service_accounts.ts";
import { membersOf, Space } from "../support/space.ts";
import { until } from "../support/until.ts";
import {
  admissionArgs,
  deploy,
  type InstalledPod,
  manifestsOf,
  overlays,
  startInstalledPod,
} from "./installed.ts";

let controlPlane: ControlPlane;
const inMuster = "namespaces/muster-system";

Deno.test.beforeAll(async () => {
  controlPlane = await startControlPlane({
    dir: await Deno.makeTempDir({ prefix: "muster-install-" }),
    auditLog: true,
    extraApiServerArgs: admissionArgs,
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

/** Applies an overlay, and resolves when its two Pods run under the namespace's restrictions. */
async function install(overlay: string): Promise<void> {
  const plain = await startScheduler(controlPlane);
  await applyManifests(controlPlane.api, await manifestsOf(overlay));
  await controlPlane.api.watchUntil(
    `/apis/apps/v1/${inMuster}/deployments`,
    (deployments) => deployments.some(isRolledOut),
  );
  const pods = await controlPlane.api.list(`/api/v1/${inMuster}/pods`);
  const nodes = pods.filter(({ metadata }) => !metadata.deletionTimestamp)
    .map((pod) => pod["spec"].nodeName);
  assertEquals(nodes.sort(), ["node-1", "node-2"]);
  await plain.process.stop();
}

function isRolledOut({ metadata, ...deployment }: KubernetesObject): boolean {
  const { observedGeneration, updatedReplicas, availableReplicas, replicas } = deployment["status"];
  return observedGeneration === (metadata as { generation?: number }).generation &&
    [updatedReplicas, availableReplicas, replicas].every((count) => count === 2);
}

/** Places a gang whose pods name this scheduler. */
async function placeGang(name: string, schedulerName: string): Promise<void> {
  const space = new Space(controlPlane.api, "default");
  await space.createGang(name, { size: 3, gpus: 1, spec: { schedulerName } });
  await space.untilBound(membersOf(name, 3));
  await space.delete(...membersOf(name, 3));
}

/** A namespace that has not opted in is left alone; afterwards namespace default has. */
async function assertOptsIn(): Promise<void> {
  const { api } = controlPlane;
  const space = new Space(api, "default");
  const namesNone = {
    gang: { name: "some", minAvailable: 1 },
    spec: { schedulerName: "default-scheduler" },
  };
  const chosen = async () => (await space.dryRun("some", namesNone))["spec"].schedulerName;
  // What holds, a moment after the binding was changed.
  const untilChosen = (scheduler: string) =>
    until(`pods that choose ${scheduler}`, async () => (await chosen()) === scheduler);
  await untilChosen("default-scheduler");
  await api.patch("/api/v1/namespaces/default", {
    metadata: { labels: { "muster.scheduling/admission": "enabled" } },
  });
  await untilChosen("muster");
}

/** What is served to other Pods, and that nothing else is. */
async function assertServed({ healthUrl }: InstalledPod): Promise<void> {
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    assertEquals(await statusOf(healthUrl + path), 200, path);
  }
  for (const path of ["/extender/filter", "/v1/gangs"]) {
    assertEquals(await statusOf(healthUrl + path), 404, path);
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

/** What the API server refused to the Pod since a time. Without deploy/admission the relay finds out by trying that there is no gate to turn on. */
async function refusedSince(startedAt: number, hasGate: boolean): Promise<string[]> {
  const events = await controlPlane.auditEvents();
  return events.filter(({ user, responseStatus, objectRef, requestReceivedTimestamp }) =>
    user.username === relayUser && responseStatus?.code === 403 &&
    Date.parse(requestReceivedTimestamp) >= startedAt &&
    (hasGate || objectRef?.resource !== "configmaps")
  ).map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
}

for (const overlay of overlays) {
  test(`overlay ${overlay} runs, and places a gang as its Deployment starts it and with its rights alone`, async () => {
    await install(overlay);
    const hasAdmission = overlay.endsWith("-admission") || overlay === "embedded-volcano";
    const functions = overlay.startsWith("edge") ? await startFunctions() : undefined;
    const startedAt = Date.now();
    const pod = await startInstalledPod(
      controlPlane,
      functions && { functionsUrl: functions.url },
    );
    try {
      if (overlay === "embedded-volcano") {
        await assertOptsIn();
        await placeGang("names-volcano", "volcano");
      }
      // Where pods choose it by themselves they name none.
      await placeGang(overlay, hasAdmission ? "default-scheduler" : "muster");
      await assertServed(pod);
      const path = `/apis/coordination.k8s.io/v1/${inMuster}/leases/muster-scheduler`;
      const { spec } = await controlPlane.api.get(path);
      assert(spec.holderIdentity.startsWith(`${Deno.hostname()}_`), spec.holderIdentity);
      assertEquals(await refusedSince(startedAt, hasAdmission), []);
    } catch (error) {
      for (const process of [pod.relay, pod.scheduler]) {
        progress(`The end of ${process.name}'s log:\n${await process.logTail(30)}`);
      }
      throw error;
    } finally {
      await pod.scheduler.stop();
      await pod.relay.stop();
      await functions?.stop();
    }
  });
}

/** The policy functions elsewhere, which trust the cluster's ServiceAccounts. */
async function startFunctions(): Promise<{ url: string; stop: () => Promise<void> }> {
  const dir = await Deno.makeTempDir({ dir: controlPlane.dir, prefix: "functions-" });
  const functions = new Functions(dir);
  const keys = await TokenKeys.of(controlPlane);
  await functions.start({ env: { MUSTER_ISSUERS: keys.issuers } });
  const stop = async () => {
    await functions.kill();
    await keys.close();
  };
  return { url: functions.url, stop };
}

test("priority class muster is for Muster's own Pods", async () => {
  const { api } = controlPlane;
  await applyManifests(api, await manifestsOf("embedded"));
  const create = (namespace: string, spec: object) =>
    api.create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
      metadata: { name: "some" },
      spec: {
        containers: [{
          name: "main",
          image: "main",
          securityContext: {
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            capabilities: { drop: ["ALL"] },
            seccompProfile: { type: "RuntimeDefault" },
          },
        }],
        ...spec,
      },
    });
  const ofMuster = { priorityClassName: "muster" };
  // A policy holds a moment after it was created.
  await until("the policy holds", async () => {
    const error = await create("default", ofMuster).then(() => undefined, (error) => error);
    assert(error instanceof ApiError && error.status === 403, String(error));
    assertStringIncludes(
      error.message,
      'class "muster" is for the pods of namespace muster-system',
    );
    return true;
  });
  for (const namespace of ["kube-system", "kube-public"]) {
    const error = await assertRejects(() => create(namespace, ofMuster), ApiError);
    assertEquals([error.status, error.reason], [403, "Forbidden"]);
  }
  const { spec } = await create("muster-system", ofMuster);
  assertEquals(spec.priority, 1_000_000_000);
  await create("default", {});
  await create("default", { priorityClassName: "system-node-critical" });
});

test("the ConfigMap of the scheduler is the file that every other scheduler of Muster's runs with", async () => {
  const file = await Deno.readTextFile(join(deploy, "base/scheduler_config.yaml"));
  const { api } = controlPlane;
  const { spec } = await api.get(`/apis/apps/v1/${inMuster}/deployments/muster`);
  const { configMap } = spec.template.spec.volumes.find(({ configMap }: { configMap?: object }) =>
    configMap
  );
  const { data } = await api.get(`/api/v1/${inMuster}/configmaps/${configMap.name}`);
  assertEquals(data["scheduler_config.yaml"], file);
});

test("the disruption budget lets one of the two Pods go", async () => {
  await controlPlane.api.watchUntil(
    `/apis/policy/v1/${inMuster}/poddisruptionbudgets`,
    ([budget]) =>
      budget?.["status"]?.disruptionsAllowed === 1 && budget["status"].expectedPods === 2,
  );
});
