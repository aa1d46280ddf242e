import { assertEquals, assertNotEquals } from "@std/assert";
import {
  mayRunOn,
  mayStayOn,
  placementKey,
} from "../../../shared/kubernetes/counting/node_match.ts";
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Toleration,
} from "../../../shared/kubernetes/types.ts";
import { nodeOf, podOf } from "../../support/objects.ts";

type Spec = Omit<Pod["spec"], "containers">;

function tolerating(...tolerations: Toleration[]): Spec {
  return { tolerations };
}

function affinity(...nodeSelectorTerms: NodeSelectorTerm[]): Spec {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
  };
}

function requiring(...matchExpressions: NodeSelectorRequirement[]): Spec {
  return affinity({ matchExpressions });
}

const gpu = nodeOf({ taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] });
const zoned = nodeOf({ labels: { zone: "a", disks: "4", empty: "", text: "x1" } });

const cases: [id: string, spec: Spec, node: Node, expect: boolean][] = [
  ["a pod without wishes", {}, nodeOf(), true],

  ["a taint that is not tolerated", {}, gpu, false],
  ["tolerated by key and value", tolerating({ key: "gpu", value: "yes" }), gpu, true],
  ["tolerated by Equal", tolerating({ key: "gpu", operator: "Equal", value: "yes" }), gpu, true],
  ["another value", tolerating({ key: "gpu", value: "no" }), gpu, false],
  ["no value", tolerating({ key: "gpu" }), gpu, false],
  ["tolerated by Exists", tolerating({ key: "gpu", operator: "Exists" }), gpu, true],
  ["another key", tolerating({ key: "cpu", operator: "Exists" }), gpu, false],
  ["everything tolerated", tolerating({ operator: "Exists" }), gpu, true],
  ["neither key nor operator", tolerating({}), gpu, false],
  [
    "tolerated for its effect",
    tolerating({ key: "gpu", operator: "Exists", effect: "NoSchedule" }),
    gpu,
    true,
  ],
  [
    "tolerated for another effect",
    tolerating({ key: "gpu", operator: "Exists", effect: "NoExecute" }),
    gpu,
    false,
  ],
  [
    "a taint that only prefers",
    {},
    nodeOf({ taints: [{ key: "x", effect: "PreferNoSchedule" }] }),
    true,
  ],
  ["a taint that evicts", {}, nodeOf({ taints: [{ key: "x", effect: "NoExecute" }] }), false],
  [
    "a taint without value, tolerated without value",
    tolerating({ key: "x", operator: "Equal" }),
    nodeOf({ taints: [{ key: "x", effect: "NoSchedule" }] }),
    true,
  ],
  [
    "tolerated above a number, which the scheduler compares",
    tolerating({ key: "sla", operator: "Gt", value: "950" }),
    nodeOf({ taints: [{ key: "sla", value: "900", effect: "NoSchedule" }] }),
    true,
  ],
  [
    "tolerated below a number, which the scheduler compares",
    tolerating({ key: "sla", operator: "Lt", value: "900" }),
    nodeOf({ taints: [{ key: "sla", value: "950", effect: "NoSchedule" }] }),
    true,
  ],
  [
    "two taints, one tolerated",
    tolerating({ key: "a", operator: "Exists" }),
    nodeOf({ taints: [{ key: "a", effect: "NoSchedule" }, { key: "b", effect: "NoSchedule" }] }),
    false,
  ],

  ["an unschedulable node", {}, nodeOf({ unschedulable: true }), false],
  [
    "an unschedulable node, tolerated as a DaemonSet does",
    tolerating({ key: "node.kubernetes.io/unschedulable", operator: "Exists" }),
    nodeOf({ unschedulable: true }),
    true,
  ],

  ["a selector that matches", { nodeSelector: { zone: "a" } }, zoned, true],
  ["a selector of another value", { nodeSelector: { zone: "b" } }, zoned, false],
  ["a selector that matches in part", { nodeSelector: { zone: "a", host: "h" } }, zoned, false],

  ["In", requiring({ key: "zone", operator: "In", values: ["b", "a"] }), zoned, true],
  ["In, not among them", requiring({ key: "zone", operator: "In", values: ["b"] }), zoned, false],
  ["In, no such label", requiring({ key: "rack", operator: "In", values: ["1"] }), zoned, false],
  ["NotIn", requiring({ key: "zone", operator: "NotIn", values: ["b"] }), zoned, true],
  ["NotIn, among them", requiring({ key: "zone", operator: "NotIn", values: ["a"] }), zoned, false],
  [
    "NotIn, no such label",
    requiring({ key: "rack", operator: "NotIn", values: ["1"] }),
    zoned,
    true,
  ],
  ["Exists", requiring({ key: "empty", operator: "Exists" }), zoned, true],
  ["Exists, no such label", requiring({ key: "rack", operator: "Exists" }), zoned, false],
  ["Exists, as what is no label", requiring({ key: "toString", operator: "Exists" }), zoned, false],
  ["DoesNotExist", requiring({ key: "rack", operator: "DoesNotExist" }), zoned, true],
  ["DoesNotExist, but it does", requiring({ key: "zone", operator: "DoesNotExist" }), zoned, false],
  ["Gt", requiring({ key: "disks", operator: "Gt", values: ["3"] }), zoned, true],
  ["Gt, equal", requiring({ key: "disks", operator: "Gt", values: ["4"] }), zoned, false],
  ["Lt", requiring({ key: "disks", operator: "Lt", values: ["5"] }), zoned, true],
  ["Lt, equal", requiring({ key: "disks", operator: "Lt", values: ["4"] }), zoned, false],
  ["Gt, no such label", requiring({ key: "rack", operator: "Gt", values: ["0"] }), zoned, false],
  [
    "Gt, a label that is no number",
    requiring({ key: "text", operator: "Gt", values: ["0"] }),
    zoned,
    false,
  ],
  ["Lt, an empty label", requiring({ key: "empty", operator: "Lt", values: ["5"] }), zoned, false],
  [
    "an operator of a newer API server",
    requiring({ key: "zone", operator: "Near", values: ["a"] }),
    zoned,
    true,
  ],

  [
    "all requirements of a term",
    requiring(
      { key: "zone", operator: "In", values: ["a"] },
      { key: "rack", operator: "Exists" },
    ),
    zoned,
    false,
  ],
  [
    "any of the terms",
    affinity(
      { matchExpressions: [{ key: "rack", operator: "Exists" }] },
      { matchExpressions: [{ key: "zone", operator: "Exists" }] },
    ),
    zoned,
    true,
  ],
  ["a term without requirements matches nothing", affinity({}), zoned, false],
  ["no terms match nothing", affinity(), zoned, false],
  [
    "the node's name",
    affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }),
    zoned,
    true,
  ],
  [
    "another node's name",
    affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["m"] }] }),
    zoned,
    false,
  ],
  [
    "selector, affinity and taints must all agree",
    { nodeSelector: { zone: "a" }, ...requiring({ key: "zone", operator: "In", values: ["b"] }) },
    zoned,
    false,
  ],
];

for (const [id, spec, node, expect] of cases) {
  Deno.test(`node match: ${id}: ${expect ? "may run" : "may not run"}`, () => {
    assertEquals(mayRunOn(podOf(spec), node), expect);
  });
}

Deno.test("node match: pods have the same placement key exactly if they are placed alike", () => {
  const key = (spec: Spec) => placementKey(podOf(spec));
  assertEquals(
    key({ nodeSelector: { zone: "a" } }),
    key({ nodeSelector: { zone: "a" }, priority: 5 }),
  );
  assertNotEquals(key({ nodeSelector: { zone: "a" } }), key({ nodeSelector: { zone: "b" } }));
  assertNotEquals(key({}), key(tolerating({ operator: "Exists" })));
  assertNotEquals(key({}), key(requiring({ key: "zone", operator: "Exists" })));
});

const [strict, evicting] = ["NoSchedule", "NoExecute"].map((effect) => ({ key: "broken", effect }));

const staying: [what: string, spec: Spec, node: NonNullable<Node["spec"]>, expect: boolean][] = [
  ["a cordon", {}, { unschedulable: true }, true],
  ["a taint NoSchedule", {}, { taints: [strict!] }, true],
  ["a taint NoExecute", {}, { taints: [strict!, evicting!] }, false],
  [
    "a taint NoExecute that it tolerates for a while",
    tolerating({
      key: "broken",
      operator: "Exists",
    }),
    { taints: [evicting!] },
    true,
  ],
];

for (const [what, spec, node, expect] of staying) {
  Deno.test(`mayStayOn(): a pod ${expect ? "stays" : "does not stay"} on a node with ${what}`, () => {
    const metadata = { name: "n", uid: "n" };
    const pod = { ...podOf(), spec: { ...podOf().spec, ...spec } };
    assertEquals(mayStayOn(pod, { metadata, spec: node }), expect);
  });
}
