import { assertEquals } from "@std/assert";
import { exclusiveOf } from "../../../shared/kubernetes/counting/exclusive.ts";
import type { PodAffinityTerm } from "../../../shared/kubernetes/types.ts";
import { podOf, type PodParts } from "../../support/objects.ts";
import { planned } from "../../support/planned.ts";

/** A pod with label app=t that keeps away from what the term selects. */
function apart(term: Partial<PodAffinityTerm>): PodParts {
  const required = { topologyKey: "kubernetes.io/hostname", ...term };
  return {
    labels: { app: "t" },
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [required] } },
  };
}

const labelSelector = { matchLabels: { app: "t" } };
const away = "another pod of default with app=t";

const rows: readonly (readonly [string, PodParts, readonly string[]])[] = [
  ["nothing", {}, []],
  ["a port that is not the host's", { containers: [{ ports: [{ hostPort: 0 }, {}] }] }, []],
  ["host ports, each once", {
    containers: [{ ports: [{ hostPort: 80 }, { hostPort: 80, hostIP: "0.0.0.0" }] }, {
      ports: [{ hostPort: 53, protocol: "UDP", hostIP: "10.0.0.1" }],
    }],
  }, ["another pod on host port 10.0.0.1:53/UDP", "another pod on host port 80/TCP"]],
  ["a host port of a sidecar, and none of what ends before", {
    initContainers: [{ restartPolicy: "Always", ports: [{ hostPort: 1 }] }, {
      ports: [{ hostPort: 2 }],
    }],
  }, ["another pod on host port 1/TCP"]],
  ["anti-affinity to its like", apart({ labelSelector }), [away]],
  ["anti-affinity to everybody", apart({ labelSelector: {} }), [
    "another pod of default with any label",
  ]],
  [
    "anti-affinity by expressions",
    apart({
      labelSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["t", "u"] }] },
    }),
    ["another pod of default with app In t u"],
  ],
  ["anti-affinity to others", apart({ labelSelector: { matchLabels: { app: "u" } } }), []],
  [
    "anti-affinity to whoever lacks its label",
    apart({
      labelSelector: { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] },
    }),
    [],
  ],
  ["anti-affinity in a rack", apart({ labelSelector, topologyKey: "rack" }), []],
  ["anti-affinity in other namespaces", apart({ labelSelector, namespaces: ["b"] }), []],
  ["anti-affinity in its namespace", apart({ labelSelector, namespaces: ["b", "default"] }), [
    "another pod of b, default with app=t",
  ]],
  [
    "anti-affinity in its namespace, named again",
    apart({ labelSelector, namespaces: ["default", "default"] }),
    [away],
  ],
  ["anti-affinity in all namespaces", apart({ labelSelector, namespaceSelector: {} }), [
    "another pod with app=t",
  ]],
  [
    "anti-affinity in all namespaces, of which one is named too",
    apart({ labelSelector, namespaceSelector: {}, namespaces: ["default"] }),
    ["another pod with app=t"],
  ],
  [
    "anti-affinity in its namespace, and in those of a label",
    apart({
      labelSelector,
      namespaces: ["default"],
      namespaceSelector: { matchLabels: { team: "a" } },
    }),
    [away],
  ],
  [
    "anti-affinity in namespaces by label",
    apart({
      labelSelector,
      namespaceSelector: { matchLabels: { team: "a" } },
    }),
    [],
  ],
  ["a term without a selector selects nobody", apart({}), []],
];

for (const [what, parts, words] of rows) {
  Deno.test(`exclusive: ${what}`, () => assertEquals(exclusiveOf(podOf(parts)), words));
}

Deno.test("exclusive: gangs of two namespaces that keep away from their like find room on the same nodes", () => {
  const away = (namespace: string) =>
    exclusiveOf(podOf({ ...apart({ labelSelector }), namespace }));
  const fits = (namespaces: readonly string[]) =>
    Object.values(planned({
      nodes: { n0: "8", n1: "8" },
      gangs: namespaces.map((namespace, at) => ({
        name: `g${at}`,
        members: [{ count: 2, exclusive: [...away(namespace)] }],
      })),
    })).map(({ fit }) => fit.members);
  assertEquals(fits(["a", "b"]), [2, 2]);
  assertEquals(fits(["a", "a"]), [2, 0]);
});
