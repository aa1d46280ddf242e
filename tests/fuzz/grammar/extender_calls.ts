/**
 * Calls of the extender, as a scheduler makes them or nearly so.
 *
 * @module
 */
import fc from "fast-check";
import { fields, seldom, text } from "./json.ts";

/** A call as it is kept in the corpus; `PodUID` and `uid` of `<pod>` stand for those of the pod of that name. */
export interface ExtenderCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Pods that are there, of gangs and not, and one that is not. */
export const knownPods = ["regular", "member-0", "member-1"] as const;

const json = { "content-type": "application/json" };
const node = seldom("node-1", fc.constantFrom("nowhere", "", "A b", "x".repeat(254)));
const name = fc.constantFrom(...knownPods, "nobody", "a/../b", "");
const namespace = seldom("default", fc.constantFrom("x", "..", "kube-system"));
const uid = fc.oneof(
  fc.constantFrom(...knownPods.map((pod) => `<${pod}>`)),
  fc.constantFrom("", "nobody", "__proto__", "x".repeat(300)),
);
const labels = fc.dictionary(
  fc.constantFrom(
    "pod-group.scheduling.sigs.k8s.io/name",
    "pod-group/name",
    "scheduling.x-k8s.io/pod-group",
    "app",
  ),
  fc.oneof(fc.constantFrom("member", "other", "", "a b"), text),
  { maxKeys: 2, noNullPrototype: true },
);

function podOf(labels: fc.Arbitrary<unknown>, more: Record<string, fc.Arbitrary<unknown>> = {}) {
  return fields({
    metadata: fields({ name, namespace, uid }, { labels, annotations: labels }),
    spec: fields({}, {
      schedulerName: text,
      ...more,
      containers: fc.constant([]),
      priority: fc.integer(),
    }),
  });
}

const group = { schedulingGroup: fields({}, { podGroupName: text }) };
const nodes = fc.oneof(
  fc.array(node, { maxLength: 5 }),
  fc.constant(Array.from({ length: 5000 }, (_, index) => `node-${index}`)),
);
const victims = fc.dictionary(
  node,
  fields({}, {
    Pods: fc.array(fields({ UID: uid }), { maxLength: 3 }),
    NumPDBViolations: fc.integer(),
  }),
  { maxKeys: 3, noNullPrototype: true },
);
const bodies: Record<string, fc.Arbitrary<unknown>> = {
  filter: fields({ Pod: podOf(labels, group) }, { NodeNames: nodes, Nodes: fc.jsonValue() }),
  // A member that was never seen is waited for.
  preempt: fields({ Pod: podOf(fc.constant({})) }, { NodeNameToMetaVictims: victims }),
  // A member that is there would be held.
  bind: fields({
    PodName: fc.constantFrom("regular", "nobody", "..", ""),
    PodNamespace: namespace,
    PodUID: fc.constantFrom("<regular>", "<member-0>", "nobody", ""),
    Node: node,
  }),
};
const verb = fc.constantFrom(...Object.keys(bodies));
const headers = fc.oneof(
  { weight: 12, arbitrary: fc.constant(json) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom("content-type", "origin", "sec-fetch-site", "accept"),
      fc.constantFrom("application/json; charset=utf-8", "text/plain", "null", "*", ""),
      { maxKeys: 3, noNullPrototype: true },
    ),
  },
);

/** Any call. */
export const extenderCall: fc.Arbitrary<ExtenderCall> = verb.chain((verb) =>
  fc.record({
    path: fc.constant(`/extender/${verb}`),
    headers,
    body: fc.oneof(
      { weight: 20, arbitrary: bodies[verb]!.map((body) => JSON.stringify(body)) },
      { weight: 1, arbitrary: fc.json() },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: fc.nat(20_000).map((times) => "[".repeat(times)) },
    ),
  })
);
