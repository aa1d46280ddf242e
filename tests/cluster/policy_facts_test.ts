import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { policyFacts } from "../../shared/cluster/policy_facts.ts";
import { letIn } from "../support/attending.ts";
import { callTo, container, podOf } from "../support/objects.ts";

const gpu = "nvidia.com/gpu";

Deno.test("policy facts: what runs gang by gang, what is left by namespace, and what a gang asks for", () => {
  const ignored = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(ignored);
  cluster.room.nodeChanged({
    metadata: { name: "n", uid: "n" },
    spec: {},
    status: { allocatable: { [gpu]: "8", pods: "10" } },
  });
  const containers = [container({ [gpu]: "1" })];
  const labels = { "pod-group/name": "a", "pod-group/min-available": "3" };
  const annotations = { "policy.muster.scheduling/team": "research" };
  for (const name of ["a-0", "a-1", "a-2", "a-3"]) {
    const bound = name === "a-0" ? { nodeName: "n" } : {};
    cluster.podChanged(podOf({ name, labels, annotations, containers, ...bound }));
  }
  cluster.podChanged(podOf({ name: "regular", nodeName: "n", containers }));
  cluster.podChanged(podOf({ name: "waits", containers }));
  cluster.podChanged(podOf({ name: "over", nodeName: "n", containers, phase: "Succeeded" }));
  const held = [...cluster.pods.values()].find(({ pod }) => pod.metadata.name === "a-1")!;
  cluster.podHeld(held, callTo("n", held));
  const facts = policyFacts(cluster, { holds: [{ record: held }] });
  assertEquals(facts.running(), [
    {
      namespace: "default",
      name: "a",
      attributes: { team: "research" },
      pods: 2,
      requests: { [gpu]: 2 },
    },
    { namespace: "default", pods: 1, requests: { [gpu]: 1 } },
  ]);
  assertEquals(facts.asks("default/a"), { [gpu]: 3 });
  assertEquals(facts.asks("default/absent"), {});
  assertEquals(facts.resources()[0], { name: gpu, allocatable: 8, bound: 2, held: 1 });
});

Deno.test("policy facts: gangs on the way to their nodes are told as long as they lack members there", () => {
  const ignored = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(ignored);
  const containers = [container({ [gpu]: "1" })];
  const labels = { "pod-group/name": "a", "pod-group/min-available": "2" };
  for (const name of ["a-0", "a-1", "a-2"]) {
    cluster.podChanged(podOf({ name, labels, containers }));
  }
  const records = [...cluster.pods.values()];
  const group = new GangGroup("default/a", Date.now());
  const { starting } = policyFacts(cluster, { groupOf: () => group });
  assertEquals(starting(), [], "nothing is known of it");
  group.attended = { ...group.attended, standing: letIn() };
  const start = { namespace: "default", name: "a" };
  assertEquals(starting(), [{ ...start, pods: 3, requests: { [gpu]: 3 } }]);
  cluster.podHeld(records[0]!, callTo("n", records[0]!));
  assertEquals(starting(), [{ ...start, pods: 2, requests: { [gpu]: 2 } }]);
  cluster.podHeld(records[1]!, callTo("n", records[1]!));
  assertEquals(starting(), [], "who is left over may wait for ever");
});
