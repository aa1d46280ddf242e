import { assertEquals, assertNotEquals } from "@std/assert";
import { exclusiveOf, keepsFromOthers } from "../../../shared/kubernetes/counting/exclusive.ts";
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
const many = Array.from({ length: 1000 }, (_, at) => at);
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
    "another pod of b with app=t",
    away,
  ]],
  [
    "anti-affinity in its namespace, named again",
    apart({ labelSelector, namespaces: ["default", "default"] }),
    [away],
  ],
  ["anti-affinity in all namespaces", apart({ labelSelector, namespaceSelector: {} }), [
    away,
    "another pod with app=t",
  ]],
  [
    "anti-affinity in all namespaces, of which one is named too",
    apart({ labelSelector, namespaceSelector: {}, namespaces: ["default"] }),
    [away, "another pod with app=t"],
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
  [
    "anti-affinity in very many namespaces: its own, and as many as there are words for",
    apart({ labelSelector, namespaces: [...many.map((at) => `b${at}`), "default"] }),
    [...many.slice(0, 15).map((at) => `another pod of b${at} with app=t`), away].sort(),
  ],
  [
    "very many host ports, beside its like",
    {
      ...apart({ labelSelector }),
      containers: [{ ports: many.map((at) => ({ hostPort: 10_000 + at })) }],
    },
    [...many.slice(0, 15).map((at) => `another pod on host port ${10_000 + at}/TCP`), away].sort(),
  ],
];

for (const [what, parts, words] of rows) {
  Deno.test(`exclusive: ${what}`, () => assertEquals(exclusiveOf(podOf(parts)), words));
}

Deno.test("exclusive: what differs after very many letters is not the same", () => {
  const common = { "example.com/a": "a".repeat(63), "example.com/b": "b".repeat(63) };
  const [leader, again, worker] = ["leader", "leader", "worker"].map((role) => {
    const matchLabels = { ...common, "example.com/c": "c".repeat(63), "example.com/role": role };
    return exclusiveOf(
      podOf({ ...apart({ labelSelector: { matchLabels } }), labels: matchLabels }),
    );
  });
  assertEquals([leader!.length, worker!.length], [1, 1]);
  assertEquals(leader, again);
  assertNotEquals(leader, worker);
});

const others: readonly (readonly [what: string, parts: PodParts, keeps: boolean])[] = [
  ["keeps from nobody", {}, false],
  ["keeps from its like alone", apart({ labelSelector }), false],
  ["keeps from others", apart({ labelSelector: { matchLabels: { app: "u" } } }), true],
];

for (const [what, parts, keeps] of others) {
  Deno.test(`exclusive: a pod that ${what} ${keeps ? "is" : "is not"} also the scheduler's to keep apart`, () => {
    assertEquals(keepsFromOthers(podOf(parts)), keeps);
  });
}

const own = { labelSelector };
const named = { labelSelector, namespaces: ["a", "b"] };
const everywhere = { labelSelector, namespaceSelector: {} };

/** Two gangs of two members each, on two nodes that have room for all. */
const gangs: readonly (readonly [
  what: string,
  first: readonly [namespace: string, term: Partial<PodAffinityTerm>],
  second: readonly [namespace: string, term: Partial<PodAffinityTerm>],
  fits: readonly number[],
])[] = [
  ["of one namespace", ["a", own], ["a", own], [2, 0]],
  ["of two namespaces", ["a", own], ["b", own], [2, 2]],
  ["of which one reaches the other", ["a", named], ["b", own], [2, 0]],
  ["of one namespace, which one names", ["a", own], ["a", named], [2, 0]],
  ["of one namespace, of which one reaches all", ["a", own], ["a", everywhere], [2, 0]],
  ["of two namespaces that reach all", ["a", everywhere], ["b", everywhere], [2, 0]],
];

for (const [what, first, second, fits] of gangs) {
  Deno.test(`exclusive: gangs ${what} have nodes with room for ${fits.join(" and ")}`, () => {
    const plans = planned({
      nodes: { n0: "8", n1: "8" },
      gangs: [first, second].map(([namespace, term], at) => ({
        name: `g${at}`,
        members: [{ count: 2, exclusive: [...exclusiveOf(podOf({ ...apart(term), namespace }))] }],
      })),
    });
    assertEquals(Object.values(plans).map(({ fit }) => fit.members), fits);
  });
}
