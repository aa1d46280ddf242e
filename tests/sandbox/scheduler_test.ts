import { assert, assertEquals, assertMatch } from "@std/assert";
import { callApi } from "../../tools/sandbox/api_client.ts";
import { conditionOf, type Pod, type PodSpec } from "../../tools/sandbox/objects.ts";
import type { NodeOptions, Sandbox } from "../../tools/sandbox/sandbox.ts";
import { BareExtender, gpuPod, named, STRICT, withSandbox } from "./support.ts";

function test(name: string, body: (sandbox: Sandbox) => Promise<void>) {
  Deno.test(name, STRICT, () => withSandbox(body));
}

function testExtender(
  name: string,
  body: (sandbox: Sandbox, extender: BareExtender) => Promise<void>,
) {
  test(name, async (sandbox) => {
    await using extender = new BareExtender();
    await sandbox.startScheduler({ extenderUrl: extender.url });
    await body(sandbox, extender);
  });
}

async function twoNodes(sandbox: Sandbox, gpus = 4): Promise<void> {
  for (const name of ["n1", "n2"]) await sandbox.addNode({ name, gpus });
}

function messageOf(pod: Pod | undefined): string {
  const condition = pod && conditionOf(pod, "PodScheduled");
  return condition?.status === "False" ? `${condition.reason}: ${condition.message}` : "";
}

function untilMessage(sandbox: Sandbox, options: { pod: string; message: string }) {
  const { pod, message } = options;
  return sandbox.waitFor((pods) => messageOf(named(pods, pod)) === message, {
    what: `pod "${pod}" says "${message}"`,
  });
}

function untilRunning(sandbox: Sandbox, ...names: string[]): Promise<Pod[]> {
  return sandbox.waitFor(
    (pods) => names.every((name) => named(pods, name)?.status.phase === "Running"),
    { what: `${names.join(", ")} are running` },
  );
}

function failures(sandbox: Sandbox, pod: string): string[] {
  return sandbox.server.store.list("events")
    .filter((event) => event.reason === "FailedScheduling")
    .filter((event) => (event.involvedObject as { name: string }).name === pod)
    .map((event) => String(event.message));
}

test("without an extender it binds what fits and says why the rest does not", async (sandbox) => {
  await twoNodes(sandbox, 2);
  await sandbox.startScheduler();
  for (const name of ["w0", "w1", "w2"]) await sandbox.createPod(gpuPod(name, 2));
  await sandbox.createPod(gpuPod("other", 2, { schedulerName: "someone-else" }));
  const pods = await untilRunning(sandbox, "w0", "w1");
  assertEquals(pods.map((pod) => pod.spec.nodeName).sort(), ["n1", "n2", undefined, undefined]);
  const message = "Unschedulable: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  await untilMessage(sandbox, { pod: "w2", message });
  assertEquals(named(sandbox.pods(), "other")?.status.conditions, undefined);
  await sandbox.addNode({ name: "n3", gpus: 4 });
  await untilRunning(sandbox, "w2");
});

test("a deleted pod makes room for one that waits", async (sandbox) => {
  await sandbox.addNode({ name: "n1", gpus: 2 });
  await sandbox.startScheduler();
  await sandbox.createPod(gpuPod("a", 2));
  await untilRunning(sandbox, "a");
  await sandbox.createPod(gpuPod("b", 1));
  const message = "Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  await untilMessage(sandbox, { pod: "b", message });
  await sandbox.deletePod("a");
  await untilRunning(sandbox, "b");
});

test("each in-tree filter refuses in kube-scheduler's words", async (sandbox) => {
  await sandbox.startScheduler();
  const node: NodeOptions = { name: "n1", gpus: 1, cpu: 2, labels: { zone: "a" } };
  await sandbox.createPod(gpuPod("early", 1));
  await untilMessage(sandbox, {
    pod: "early",
    message: "Unschedulable: no nodes available to schedule pods",
  });
  await sandbox.deletePod("early");
  await sandbox.addNode({ ...node, taints: [{ key: "dedicated", effect: "NoSchedule" }] });
  const tolerations: PodSpec["tolerations"] = [{ key: "dedicated", operator: "Exists" }];
  const big = { requests: { cpu: "3", memory: "200Gi" } };
  const cases: [string, Partial<PodSpec>, string][] = [
    ["tainted", {}, "1 node(s) had untolerated taint {dedicated: }"],
    [
      "elsewhere",
      { tolerations, nodeSelector: { zone: "b" } },
      "1 node(s) didn't match Pod's node affinity/selector",
    ],
    [
      "big",
      { tolerations, containers: [{ name: "main", resources: big }] },
      "1 Insufficient cpu, 1 Insufficient memory",
    ],
  ];
  for (const [pod, spec, reason] of cases) {
    await sandbox.createPod(gpuPod(pod, 0, spec));
    const message = `Unschedulable: 0/1 nodes are available: ${reason}.`;
    await untilMessage(sandbox, { pod, message });
  }
  await sandbox.createPod(gpuPod("fits", 1, { tolerations, nodeSelector: { zone: "a" } }));
  await untilRunning(sandbox, "fits");
  const affinity = { podAntiAffinity: {} };
  await sandbox.createPod(gpuPod("unknown", 0, { tolerations, affinity }));
  await sandbox.waitFor((pods) => messageOf(named(pods, "unknown")) !== "", { what: "an error" });
  const loud = /^SchedulerError: .*does not know spec.affinity/;
  assertMatch(messageOf(named(sandbox.pods(), "unknown")), loud);
});

test("a gated pod is left alone until its gate is gone", async (sandbox) => {
  await twoNodes(sandbox);
  await sandbox.startScheduler();
  await sandbox.createPod(gpuPod("gated", 1, { schedulingGates: [{ name: "g" }] }));
  await sandbox.createPod(gpuPod("free", 1));
  await untilRunning(sandbox, "free");
  assertMatch(messageOf(named(sandbox.pods(), "gated")), /^SchedulingGated: /);
  await callApi(`${sandbox.url}/api/v1/namespaces/default/pods/gated`, {
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: { spec: { schedulingGates: null } },
  });
  await untilRunning(sandbox, "gated");
});

testExtender("a held bind call is Permit: five pods of 2 GPUs on two nodes of 4", async (
  sandbox,
  extender,
) => {
  await twoNodes(sandbox);
  for (let at = 0; at < 5; at++) await sandbox.createPod(gpuPod(`w${at}`, 2));
  await extender.until("four held bind calls", () => extender.held.size === 4);
  const message = "Unschedulable: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  const pods = await sandbox.waitFor(
    (all) => all.filter((pod) => messageOf(pod) === message).length === 1,
    { what: "the fifth pod is unschedulable" },
  );
  assertEquals(pods.filter((pod) => pod.spec.nodeName), []);
  const held = [...extender.held.keys()];
  for (const answer of [...extender.held.values()]) answer("gang timeout");
  await sandbox.waitFor(
    () => held.every((name) => failures(sandbox, name).includes("gang timeout")),
    { what: "each of the four got an event" },
  );
  assertEquals(sandbox.server.count("bind"), 0);
  // Room was freed and back-offs end: four are held again.
  await extender.until("four held bind calls again", () => extender.held.size === 4);
  const body = extender.calls.bind?.[0];
  assertEquals(Object.keys(body ?? {}), ["PodName", "PodNamespace", "PodUID", "Node"]);
});

testExtender("the wire: PascalCase, node names only, and only while a node is left", async (
  sandbox,
  extender,
) => {
  await sandbox.addNode({ name: "n1", gpus: 1 });
  await sandbox.addNode({ name: "n2" });
  await sandbox.createPod(gpuPod("too-big", 2));
  const message = "Unschedulable: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  await untilMessage(sandbox, { pod: "too-big", message });
  assertEquals(extender.calls.filter, []);
  await sandbox.createPod(gpuPod("fits", 1));
  await extender.until("the bind call", () => extender.held.has("fits"));
  const body = extender.calls.filter?.[0] ?? {};
  assertEquals(Object.keys(body), ["Pod", "Nodes", "NodeNames"]);
  assertEquals([body.Nodes, body.NodeNames], [null, ["n1"]]);
  assertEquals((body.Pod as Pod).metadata.name, "fits");
});

testExtender("the extender's sentence is reported once and an update of the pod wakes it", async (
  sandbox,
  extender,
) => {
  await twoNodes(sandbox);
  let open = false;
  extender.filter = ({ NodeNames }) => {
    if (open) return { nodenames: NodeNames };
    const sentence = "gang default/g has 1 of 2 members";
    const nodes = (NodeNames as string[]).map((name) => [name, sentence]);
    return { NodeNames: [], FailedAndUnresolvableNodes: Object.fromEntries(nodes) };
  };
  await sandbox.createPod(gpuPod("a", 1));
  const message = "Unschedulable: 0/2 nodes are available: 2 gang default/g has 1 of 2 members.";
  await untilMessage(sandbox, { pod: "a", message });
  // Its own patch wakes the pod once more; the same message then writes nothing and the pod sleeps.
  await extender.until("a second attempt", () => (extender.calls.filter?.length ?? 0) >= 2);
  await sandbox.waitFor(() => failures(sandbox, "a").length >= 2, { what: "two events" });
  assertEquals(sandbox.server.count("patch", "pods/status"), 1);
  open = true;
  await callApi(`${sandbox.url}/api/v1/namespaces/default/pods/a`, {
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: { metadata: { annotations: { poke: "1" } } },
  });
  await extender.until("the bind call", () => extender.held.has("a"));
});

testExtender("an extender's error is a SchedulerError and is tried again", async (
  sandbox,
  extender,
) => {
  await twoNodes(sandbox);
  extender.filter = () => ({ Error: "no verdict yet" });
  await sandbox.createPod(gpuPod("a", 1));
  await untilMessage(sandbox, { pod: "a", message: "SchedulerError: no verdict yet" });
  extender.filter = () => ({ NodeNames: ["n7"] });
  await sandbox.waitFor(
    () => failures(sandbox, "a").some((note) => note.includes(`"n7" is not among the nodes`)),
    { what: "an answer outside the question is an error" },
  );
  extender.filter = ({ NodeNames }) => ({ NodeNames });
  await extender.until("the bind call", () => extender.held.has("a"));
});

testExtender("stop hangs up on held calls and writes nothing more", async (sandbox, extender) => {
  await twoNodes(sandbox);
  await sandbox.createPod(gpuPod("a", 1));
  await extender.until("the bind call", () => extender.held.has("a"));
  const before = sandbox.server.store.version;
  await sandbox.stopScheduler();
  await extender.until("the hang-up", () => extender.dropped.includes("a"));
  assertEquals(sandbox.server.store.version, before);
  await sandbox.startScheduler({ extenderUrl: extender.url });
  const calls = () => extender.calls.bind?.length;
  await extender.until("the next scheduler's bind call", () => calls() === 2);
});

testExtender("a pod deleted while its bind is held frees its room; the call stays open", async (
  sandbox,
  extender,
) => {
  await sandbox.addNode({ name: "n1", gpus: 2 });
  await sandbox.createPod(gpuPod("a", 2));
  await extender.until("the bind call", () => extender.held.has("a"));
  await sandbox.deletePod("a");
  await sandbox.createPod(gpuPod("b", 2));
  await extender.until("the next bind call", () => extender.held.has("b"));
  assert(extender.held.has("a") && extender.dropped.length === 0);
});

testExtender("preemption deletes an assumed pod when the extender does not object", async (
  sandbox,
  extender,
) => {
  await sandbox.addNode({ name: "n1", gpus: 2 });
  const low = await sandbox.createPod(gpuPod("low", 2));
  await extender.until("the bind call", () => extender.held.has("low"));
  await sandbox.createPod(gpuPod("high", 2, { priority: 100 }));
  await sandbox.waitFor((pods) => named(pods, "low") === undefined, { what: "low is deleted" });
  const body = extender.calls.preempt?.[0] ?? {};
  assertEquals(Object.keys(body), ["Pod", "NodeNameToMetaVictims"]);
  assertEquals(body.NodeNameToMetaVictims, {
    n1: { Pods: [{ UID: low.metadata.uid }], NumPDBViolations: 0 },
  });
  const nominated = await sandbox.waitFor(
    (pods) => named(pods, "high")?.status.nominatedNodeName === "n1",
    { what: "high is nominated" },
  );
  assertEquals(named(nominated, "high")?.spec.nodeName, undefined);
  assert(extender.held.has("low"), "the call of the deleted pod is still open");
  // Only its end tells the scheduler that there is room.
  extender.held.get("low")?.("the pod is gone");
  await extender.until("high's bind call", () => extender.held.has("high"));
});

testExtender("preemption leaves a node that the extender drops", async (sandbox, extender) => {
  await sandbox.addNode({ name: "n1", gpus: 2 });
  extender.preempt = () => ({ NodeNameToMetaVictims: {} });
  await sandbox.createPod(gpuPod("low", 2));
  await extender.until("the bind call", () => extender.held.has("low"));
  await sandbox.createPod(gpuPod("high", 2, { priority: 100 }));
  const message = "Unschedulable: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu. " +
    "preemption: no candidate node for preemption";
  await untilMessage(sandbox, { pod: "high", message });
  assertEquals(extender.calls.preempt?.length, 1);
  assertEquals(sandbox.pods().map((pod) => pod.metadata.name), ["high", "low"]);
});

test("preemption evicts the fewest of the least important running pods", async (sandbox) => {
  await twoNodes(sandbox, 2);
  await sandbox.startScheduler();
  const pin = (node: string) => ({ nodeSelector: { "kubernetes.io/hostname": node } });
  await sandbox.createPod(gpuPod("mid", 2, { priority: 50, ...pin("n1") }));
  await sandbox.createPod(gpuPod("low-a", 1, { priority: 10, ...pin("n2") }));
  await sandbox.createPod(gpuPod("low-b", 1, { priority: 20, ...pin("n2") }));
  await untilRunning(sandbox, "mid", "low-a", "low-b");
  await sandbox.createPod(gpuPod("high", 1, { priority: 100 }));
  const pods = await untilRunning(sandbox, "high");
  assertEquals(pods.map((pod) => pod.metadata.name), ["high", "low-b", "mid"]);
  assertEquals(named(pods, "high")?.spec.nodeName, "n2");
});
