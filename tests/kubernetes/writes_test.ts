import { assertEquals } from "@std/assert";
import {
  annotation,
  binding,
  conditionOf,
  event,
  eviction,
  gating,
  nomination,
  noNomination,
  poke,
  ungating,
  type Write,
} from "../../shared/kubernetes/writes.ts";

const pod = { namespace: "team", name: "train-0", uid: "u", resourceVersion: "7" };
const path = "/api/v1/namespaces/team/pods/train-0";
const merge = "application/merge-patch+json";
const strategicMerge = "application/strategic-merge-patch+json";
const at = Date.parse("2026-01-01T12:00:00Z");
const poked = { "muster.scheduling/poked": "2026-01-01T12:00:00.000Z" };

const patch = (path: string, body: object, type = merge): Write => ({
  method: "PATCH",
  path,
  body,
  type,
});

const gate = { $patch: "delete", name: "muster.scheduling/queued" };
const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable" };

const rows: [what: string, write: Write, expected: Write][] = [
  ["binding names the pod by uid", binding({ ...pod, node: "n" }), {
    method: "POST",
    path: `${path}/binding`,
    body: {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { namespace: "team", name: "train-0", uid: "u" },
      target: { apiVersion: "v1", kind: "Node", name: "n" },
    },
  }],
  ["eviction evicts no other pod of that name", eviction(pod), {
    method: "POST",
    path: `${path}/eviction`,
    body: {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { namespace: "team", name: "train-0" },
      deleteOptions: { preconditions: { uid: "u" } },
    },
  }],
  [
    "annotation is merged",
    annotation(pod, { a: "b" }),
    patch(path, { metadata: { uid: "u", annotations: { a: "b" } } }),
  ],
  [
    "poke without a node is an annotation",
    poke({ ...pod, at }),
    patch(path, { metadata: { uid: "u", annotations: poked } }),
  ],
  [
    "poke with a node is one write of both",
    poke({ ...pod, at, node: "n" }),
    patch(`${path}/status`, {
      metadata: { uid: "u", annotations: poked },
      status: { nominatedNodeName: "n" },
    }),
  ],
  [
    "nomination names the pod by uid",
    nomination(pod, { node: "n" }),
    patch(`${path}/status`, { metadata: { uid: "u" }, status: { nominatedNodeName: "n" } }),
  ],
  [
    "a nomination is taken back only from the pod as it was seen",
    noNomination(pod),
    patch(`${path}/status`, {
      metadata: { uid: "u", resourceVersion: "7" },
      status: { nominatedNodeName: null },
    }),
  ],
  [
    "ungating removes Muster's gate alone",
    ungating(pod),
    patch(path, { metadata: { uid: "u" }, spec: { schedulingGates: [gate] } }, strategicMerge),
  ],
  [
    "a condition is set only on the pod as it was seen",
    conditionOf(pod, condition),
    patch(`${path}/status`, {
      metadata: { uid: "u", resourceVersion: "7" },
      status: { conditions: [condition] },
    }, strategicMerge),
  ],
  [
    "gating is a label of the policy's parameter",
    gating("on"),
    patch("/api/v1/namespaces/muster-system/configmaps/muster-gate", {
      metadata: { labels: { "muster.scheduling/gate": "on" } },
    }),
  ],
];

for (const [what, write, expected] of rows) {
  Deno.test(`writes: ${what}`, () => assertEquals(write, expected));
}

Deno.test("writes: an event is named after what it is about, as far as a name has room for that", () => {
  const metadata = { ...pod, name: "x".repeat(250) };
  const about = { apiVersion: "v1", kind: "Pod", metadata };
  const words = { type: "Warning", reason: "GangConflict", message: "a sentence" } as const;
  const { path, body } = event(about, { ...words, id: "digest", at });
  assertEquals(path, "/api/v1/namespaces/team/events");
  assertEquals(body, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { namespace: "team", name: `${"x".repeat(200)}.digest` },
    involvedObject: { apiVersion: "v1", kind: "Pod", ...metadata },
    ...words,
    source: { component: "muster-relay" },
    reportingComponent: "muster.scheduling/relay",
    firstTimestamp: "2026-01-01T12:00:00.000Z",
    lastTimestamp: "2026-01-01T12:00:00.000Z",
    count: 1,
  });
});
