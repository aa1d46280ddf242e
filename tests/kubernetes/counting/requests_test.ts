import { assertEquals } from "@std/assert";
import { add, allocatableOf, requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { container, nodeOf, podOf } from "../../support/objects.ts";

const sidecar = { restartPolicy: "Always" };

/** So much of each. */
function many(amount: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`example.com/r${at}`, amount]),
  );
}

const cases: [id: string, spec: Pod["spec"], expect: Record<string, number>][] = [
  ["a pod that asks for nothing takes a slot", {}, {}],
  ["milli-CPUs, bytes and whole devices", {
    containers: [container({ cpu: "500m", memory: "1Gi", "nvidia.com/gpu": "2" })],
  }, { cpu: 500, memory: 2 ** 30, "nvidia.com/gpu": 2 }],
  ["containers add up", {
    containers: [container({ cpu: "1" }), container({ cpu: "250m", memory: "1Ki" })],
  }, { cpu: 1250, memory: 1024 }],
  ["the largest init container, where it is more", {
    initContainers: [container({ cpu: "3" }), container({ cpu: "1", memory: "2Ki" })],
    containers: [container({ cpu: "2", memory: "1Ki" })],
  }, { cpu: 3000, memory: 2048 }],
  ["init containers run one after another", {
    initContainers: [container({ cpu: "2" }), container({ cpu: "2" })],
    containers: [container({ cpu: "1" })],
  }, { cpu: 2000 }],
  ["sidecars run with the containers", {
    initContainers: [container({ cpu: "1" }, sidecar)],
    containers: [container({ cpu: "2" })],
  }, { cpu: 3000 }],
  ["an init container runs with the sidecars before it only", {
    initContainers: [
      container({ cpu: "1" }, sidecar),
      container({ cpu: "4" }),
      container({ cpu: "2" }, sidecar),
    ],
    containers: [container({ cpu: "1" })],
  }, { cpu: 5000 }],
  ["what the pod itself asks for takes the place of its containers' sum", {
    resources: { requests: { cpu: "4" } },
    containers: [container({ cpu: "1", memory: "1Ki" })],
  }, { cpu: 4000, memory: 1024 }],
  ["limits of the pod itself are requests where none are said, of it or of its containers", {
    resources: {
      requests: { cpu: "1" },
      limits: { cpu: "4", memory: "4Ki", "hugepages-2Mi": "2Mi" },
    },
    containers: [container({ memory: "1Ki" })],
  }, { cpu: 1000, memory: 1024, "hugepages-2Mi": 2 ** 21 }],
  ["overhead is added to everything", {
    overhead: { cpu: "100m", memory: "1Ki" },
    resources: { requests: { cpu: "4" } },
    containers: [container({ memory: "1Ki" })],
  }, { cpu: 4100, memory: 2048 }],
  ["limits without requests are requests", {
    containers: [{ resources: { limits: { cpu: "1", "nvidia.com/gpu": "2" } } }],
  }, { cpu: 1000, "nvidia.com/gpu": 2 }],
  ["requests win over limits, resource by resource", {
    containers: [{ resources: { limits: { cpu: "4", memory: "1Ki" }, requests: { cpu: "1" } } }],
  }, { cpu: 1000, memory: 1024 }],
  ["amounts beyond what Kubernetes counts are the most that it counts", {
    containers: [container({ memory: "1e999" })],
  }, { memory: 2 ** 63 }],
  ["of more resources than any node has, the first that are asked for", {
    containers: [container({ cpu: "1", ...many("1") })],
  }, {
    cpu: 1000,
    ...Object.fromEntries(Object.keys(many("1")).slice(0, 99).map((key) => [key, 1])),
  }],
  ["nothing of very many resources", {
    containers: [container(many("0")), container({ cpu: "1" })],
  }, {
    cpu: 1000,
  }],
  ["fractions of a byte round up", {
    containers: [container({ memory: "1500m" })],
  }, { memory: 2 }],
];

for (const [id, spec, expect] of cases) {
  Deno.test(`requests: ${id}`, () => {
    assertEquals(
      Object.fromEntries(requestsOf({ ...podOf(), spec })),
      { ...expect, pods: 1 },
    );
  });
}

Deno.test("requests: what a node offers, in the same units", () => {
  const node = {
    ...nodeOf(),
    status: { allocatable: { cpu: "3920m", memory: "1Ki", pods: "110" } },
  };
  assertEquals(allocatableOf(node), new Map([["cpu", 3920], ["memory", 1024], ["pods", 110]]));
  assertEquals(allocatableOf(nodeOf()), new Map());
});

Deno.test("requests: amounts are added and taken away", () => {
  const sum = new Map([["cpu", 1]]);
  add(sum, new Map([["cpu", 2], ["gpu", 1]]));
  assertEquals(sum, new Map([["cpu", 3], ["gpu", 1]]));
  add(sum, new Map([["cpu", 2], ["memory", 5]]), -1);
  assertEquals(sum, new Map([["cpu", 1], ["gpu", 1], ["memory", -5]]));
});
