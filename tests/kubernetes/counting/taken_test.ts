import { assertEquals } from "@std/assert";
import { requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import { takenOtherwise } from "../../../shared/kubernetes/counting/taken.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { dropUnread } from "../../../shared/kubernetes/unread.ts";
import { container, podOf } from "../../support/objects.ts";

type Status = NonNullable<Pod["status"]>;

/** Two containers, of one and of two CPUs. */
const two = {
  containers: [container({ cpu: "1" }, { name: "a" }), container({ cpu: "2" }, { name: "b" })],
};
const infeasible = {
  conditions: [{ type: "PodResizePending", status: "True", reason: "Infeasible" }],
};

/** That a node has set aside so many CPUs for a container, and what of it the container has. */
function has(name: string, allocated: string, actual = allocated) {
  return { name, allocatedResources: { cpu: allocated }, resources: { requests: { cpu: actual } } };
}

const cases: [
  id: string,
  spec: Partial<Pod["spec"]>,
  status: Status,
  expect: Record<string, number> | undefined,
][] = [
  ["a node that says nothing", two, {}, undefined],
  ["what it asks for", two, { containerStatuses: [has("a", "1000m"), has("b", "2")] }, undefined],
  ["a container that does not run yet", two, { containerStatuses: [has("a", "1")] }, undefined],
  ["one that has not shrunk yet", two, { containerStatuses: [has("a", "4"), has("b", "2")] }, {
    cpu: 6000,
  }],
  ["one that may shrink, and has more still", two, { containerStatuses: [has("a", "1", "4")] }, {
    cpu: 6000,
  }],
  ["one that is to grow", two, { containerStatuses: [has("a", "500m")] }, undefined],
  ["one that is to grow, later", two, {
    containerStatuses: [has("a", "500m")],
    conditions: [{ type: "PodResizePending", status: "True", reason: "Deferred" }],
  }, undefined],
  ["one that never can", two, {
    containerStatuses: [has("a", "500m"), has("b", "2")],
    ...infeasible,
  }, { cpu: 2500 }],
  [
    "a sidecar that has not shrunk yet",
    {
      initContainers: [container({ cpu: "1" }, { name: "s", restartPolicy: "Always" })],
      containers: [container({ cpu: "1" }, { name: "a" })],
    },
    { containerStatuses: [has("a", "1")], initContainerStatuses: [has("s", "3")] },
    { cpu: 4000 },
  ],
  ["the pod as a whole", two, {
    containerStatuses: [has("a", "1"), has("b", "2")],
    allocatedResources: { cpu: "5" },
    resources: { requests: { cpu: "3" } },
  }, { cpu: 5000 }],
  ["a pod of which only a part is told", two, { allocatedResources: { cpu: "5" } }, undefined],
  ["what a pod was that asks for itself", { ...two, resources: { requests: { cpu: "4" } } }, {
    allocatedResources: { cpu: "6", "example.com/a": "1" },
    resources: { requests: { cpu: "4" } },
  }, { cpu: 6000, "example.com/a": 1 }],
  ["such a one that never can", { ...two, resources: { requests: { cpu: "8" } } }, {
    allocatedResources: { cpu: "4" },
    resources: { requests: { cpu: "4" } },
    ...infeasible,
  }, { cpu: 4000 }],
  ["overhead, which its node sets aside and the scheduler adds", {
    ...two,
    overhead: { cpu: "250m" },
  }, {
    allocatedResources: { cpu: "3250m" },
    resources: { requests: { cpu: "3" } },
  }, { cpu: 3500 }],
];

for (const [id, spec, status, expect] of cases) {
  Deno.test(`takenOtherwise(): ${id}, also of what is kept of a pod`, () => {
    const pod = { ...podOf({ nodeName: "n", ...spec }), status };
    const expected = expect && new Map(Object.entries({ ...expect, pods: 1 }));
    assertEquals(takenOtherwise(pod), expected);
    const kept = structuredClone(pod);
    dropUnread(kept);
    assertEquals(takenOtherwise(kept), expected);
  });
}

Deno.test("takenOtherwise(): a pod without a node takes what it asks for", () => {
  const pod = { ...podOf(two), status: { containerStatuses: [has("a", "4")] } };
  assertEquals(takenOtherwise(pod), undefined);
  assertEquals(requestsOf(pod).get("cpu"), 3000);
});
