import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { ApiError } from "../../tools/sandbox/api_error.ts";
import { conditionOf, type Pod } from "../../tools/sandbox/objects.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { gpuPod, STRICT, withSandbox } from "./support.ts";

const PODS = "/api/v1/namespaces/default/pods";
const JSON_PATCH = "application/json-patch+json";
const MERGE_PATCH = "application/merge-patch+json";

function test(name: string, body: (sandbox: Sandbox) => Promise<void>) {
  Deno.test(name, STRICT, () => withSandbox(body, { kubelet: false }));
}

async function refusal(
  call: Promise<unknown>,
): Promise<{ code: number; reason: string; message: string }> {
  const { status } = await assertRejects(() => call, ApiError);
  const { code, reason, message } = status;
  return { code, reason, message };
}

function bind(sandbox: Sandbox, pod: string, binding: { uid?: string; node?: string } = {}) {
  const { uid, node = "n1" } = binding;
  return callApi(`${sandbox.url}${PODS}/${pod}/binding`, {
    method: "POST",
    body: {
      metadata: { name: pod, ...(uid === undefined ? {} : { uid }) },
      target: { kind: "Node", name: node },
    },
  });
}

function patch(sandbox: Sandbox, path: string, options: { body: unknown; type?: string }) {
  const { body, type: contentType = MERGE_PATCH } = options;
  const url = `${sandbox.url}${PODS}/${path}`;
  return callApi(url, { method: "PATCH", body, contentType }) as Promise<Pod>;
}

test("a Binding sets the node and PodScheduled, and answers 201 with a Status", async (sandbox) => {
  const { metadata } = await sandbox.createPod(gpuPod("a", 1));
  const answer = await bind(sandbox, "a", { uid: metadata.uid });
  assertEquals((answer as { status: string; code: number }).code, 201);
  const [pod] = sandbox.pods();
  assertEquals(pod?.spec.nodeName, "n1");
  assertEquals(pod && conditionOf(pod, "PodScheduled")?.status, "True");
  assertEquals(sandbox.server.count("bind"), 1);
});

test("a Binding is refused as kube-apiserver refuses it", async (sandbox) => {
  await sandbox.createPod(gpuPod("bound", 1));
  await sandbox.createPod(gpuPod("free", 1));
  await sandbox.createPod(gpuPod("gated", 1, { schedulingGates: [{ name: "g" }] }));
  const leaving = gpuPod("leaving", 1);
  await sandbox.createPod({ ...leaving, metadata: { name: "leaving", finalizers: ["x/y"] } });
  await sandbox.deletePod("leaving");
  await bind(sandbox, "bound");
  const before = sandbox.server.store.version;
  const cases: [string, { uid?: string; node?: string }, number, string, RegExp][] = [
    ["bound", {}, 409, "Conflict", /pod bound is already assigned to node "n1"/],
    ["bound", { node: "n2" }, 409, "Conflict", /already assigned to node "n1"/],
    ["free", { uid: "other" }, 409, "Conflict", /UID in precondition: other/],
    ["free", { node: "" }, 422, "Invalid", /target.name: Required/],
    ["gated", {}, 409, "Conflict", /non-empty .spec.schedulingGates/],
    ["leaving", {}, 409, "Conflict", /is being deleted/],
    ["absent", {}, 404, "NotFound", /^pods "absent" not found$/],
  ];
  for (const [pod, binding, code, reason, message] of cases) {
    const seen = await refusal(bind(sandbox, pod, binding));
    assertEquals([pod, seen.code, seen.reason], [pod, code, reason]);
    assertMatch(seen.message, message);
  }
  assertEquals(sandbox.server.store.version, before, "a refused Binding must write nothing");
});

test("create gives uid, version, name and the defaults of a pod", async (sandbox) => {
  const pod = await sandbox.createPod({
    metadata: { generateName: "web-" },
    spec: { containers: [{ name: "main", resources: { limits: { cpu: "1" } } }] },
  });
  assertMatch(pod.metadata.name, /^web-.{5}$/);
  assertMatch(pod.metadata.creationTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assertEquals(pod.spec.schedulerName, "default-scheduler");
  assertEquals(pod.spec.containers[0]?.resources?.requests, { cpu: "1" });
  assertEquals(pod.status, { phase: "Pending" });
  const twin = await refusal(sandbox.createPod({ ...pod, metadata: { name: pod.metadata.name } }));
  assertEquals([twin.code, twin.reason], [409, "AlreadyExists"]);
});

test("what the server does not know is refused with a Status", async (sandbox) => {
  await sandbox.createPod(gpuPod("a", 1));
  const cases: [string, string, number][] = [
    ["GET", "/api/v1/secrets", 404],
    ["GET", "/apis/apps/v1/deployments", 404],
    ["GET", `${PODS}/a/log`, 404],
    ["PUT", `${PODS}/a`, 405],
    ["DELETE", PODS, 405],
    ["GET", `${PODS}?fieldSelector=spec.hostname%3Dx`, 400],
    ["GET", `${PODS}?labelSelector=a%3D%3D%3Db`, 400],
    ["DELETE", `${PODS}/a?dryRun=All`, 400],
  ];
  for (const [method, path, code] of cases) {
    const seen = await refusal(callApi(`${sandbox.url}${path}`, { method }));
    assertEquals([method, path, seen.code], [method, path, code]);
  }
  const body = { metadata: { name: "b" }, spec: { containers: [] } };
  const pods = `${sandbox.url}${PODS}`;
  assertEquals((await refusal(callApi(pods, { method: "POST", body }))).code, 422);
  const elsewhere = `${sandbox.url}/api/v1/namespaces/absent/pods`;
  const homeless = callApi(elsewhere, { method: "POST", body: gpuPod("b", 1) });
  assertMatch((await refusal(homeless)).message, /namespaces "absent" not found/);
});

test("patches: gates may go, other spec may not change, status has its own path", async (sandbox) => {
  await sandbox.createPod(gpuPod("a", 1, { schedulingGates: [{ name: "x" }, { name: "y" }] }));
  const gated = sandbox.pods()[0];
  assertEquals(gated && conditionOf(gated, "PodScheduled")?.reason, "SchedulingGated");
  const removed = await patch(sandbox, "a", {
    type: JSON_PATCH,
    body: [
      { op: "test", path: "/spec/schedulingGates/0/name", value: "x" },
      { op: "remove", path: "/spec/schedulingGates/0" },
    ],
  });
  assertEquals(removed.spec.schedulingGates, [{ name: "y" }]);
  const strategic = { spec: { schedulingGates: [{ name: "y", $patch: "delete" }] } };
  const open = await patch(sandbox, "a", { type: STRATEGIC_MERGE, body: strategic });
  assertEquals(open.spec.schedulingGates, []);

  const cases: [unknown, string, number][] = [
    [{ spec: { schedulingGates: [{ name: "z" }] } }, MERGE_PATCH, 422],
    [{ spec: { priority: 5 } }, MERGE_PATCH, 422],
    [{ metadata: { uid: "other" } }, MERGE_PATCH, 409],
    [{ metadata: { resourceVersion: "1" } }, MERGE_PATCH, 409],
    [[{ op: "test", path: "/spec/priority", value: 7 }], JSON_PATCH, 422],
    [{ metadata: {} }, "application/json", 415],
  ];
  for (const [body, type, code] of cases) {
    const seen = await refusal(patch(sandbox, "a", { body, type }));
    assertEquals([body, seen.code], [body, code]);
  }

  const ignored = await patch(sandbox, "a", { body: { status: { phase: "Running" } } });
  assertEquals(ignored.status.phase, "Pending");
  const written = await patch(sandbox, "a/status", {
    type: STRATEGIC_MERGE,
    body: { status: { conditions: [{ type: "Mine", status: "True" }] }, spec: { priority: 9 } },
  });
  assertEquals(written.status.conditions?.map(({ type }) => type), ["PodScheduled", "Mine"]);
  assertEquals(written.spec.priority, 0);
  const same = await patch(sandbox, "a/status", { body: { status: { phase: "Pending" } } });
  assertEquals(
    same.metadata.resourceVersion,
    written.metadata.resourceVersion,
    "a patch that changes nothing is no new version",
  );
});

test("delete: preconditions, finalizers, and pods at once", async (sandbox) => {
  const pod = await sandbox.createPod({
    ...gpuPod("a", 1),
    metadata: { name: "a", finalizers: ["muster.test/hold"] },
  });
  const url = `${sandbox.url}${PODS}/a`;
  const wrong = { preconditions: { uid: "other" } };
  assertEquals((await refusal(callApi(url, { method: "DELETE", body: wrong }))).code, 409);
  await callApi(url, { method: "DELETE", body: { preconditions: { uid: pod.metadata.uid } } });
  assertNotEquals(sandbox.pods()[0]?.metadata.deletionTimestamp, undefined);
  await patch(sandbox, "a", { body: { metadata: { finalizers: null } } });
  assertEquals(sandbox.pods(), []);
  assertEquals((await refusal(callApi(url, { method: "DELETE" }))).code, 404);
});

test("an event written through either API is seen through both", async (sandbox) => {
  const path = "/namespaces/default/events";
  await callApi(`${sandbox.url}/apis/events.k8s.io/v1${path}`, {
    method: "POST",
    body: {
      metadata: { name: "one" },
      reason: "Waiting",
      note: "in short",
      type: "Normal",
      regarding: { kind: "Pod", name: "a" },
      reportingController: "muster",
    },
  });
  const core = await callApi(`${sandbox.url}/api/v1${path}/one`) as Record<string, unknown>;
  assertEquals([core.kind, core.apiVersion, core.message], ["Event", "v1", "in short"]);
  assertEquals(core.involvedObject, { kind: "Pod", name: "a" });
  const query = "?fieldSelector=involvedObject.name%3Da";
  const list = await callApi(`${sandbox.url}/apis/events.k8s.io/v1${path}${query}`) as {
    items: Record<string, unknown>[];
  };
  assertEquals(list.items.map(({ note, regarding }) => [note, regarding]), [
    ["in short", { kind: "Pod", name: "a" }],
  ]);
});

test("an intercepted request gets the injected answer and is audited", async (sandbox) => {
  sandbox.server.intercept = (request) =>
    request.method === "POST" ? new Response("storage is gone", { status: 500 }) : undefined;
  const failure = await refusal(sandbox.createPod(gpuPod("a", 1)));
  assertEquals([failure.code, failure.message], [500, "storage is gone"]);
  assertEquals(sandbox.pods(), []);
  const last = sandbox.server.audit.at(-1);
  assertEquals([last?.method, last?.path, last?.code], ["POST", PODS, 500]);
});
