/**
 * Kubernetes objects as a watch brings them: pods and nodes as the API server lets them in, PodGroups of CRDs whose schema says
 * nothing.
 *
 * @module
 */
import fc from "fast-check";
import { koordinator, podGroupKinds } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { character, count } from "./json.ts";

/** An object by the path of its kind. */
export interface Written {
  readonly storage: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: Record<string, unknown> & { name: string };
    readonly [field: string]: unknown;
  };
  readonly isGone: boolean;
}

const fromProperties = { maxKeys: 4, noNullPrototype: true };

const labelValue = fc.oneof(
  fc.constantFrom("tf", "a", "2", "0", "-1", "9007199254740993", "five", "", "a.b_c", "r1", "r2"),
  fc.stringMatching(/^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/),
);
const anyText = fc.oneof(
  labelValue,
  fc.constantFrom("1h", "-5s", "1e9h", "NonStrict", "only-waiting", '["default/tf","x/b"]', "[]"),
  fc.constantFrom("rack", "zone,rack", "rack=2", "ps=2,worker=1", "a/b/c=1", "null", "{}", "[[[["),
  fc.constantFrom('[{"name":"tf","minMember":2}]', '{"topologyPath":[1]}', "true", "gang"),
  fc.string({ unit: character, maxLength: 60 }),
  fc.json({ maxDepth: 3 }),
  fc.constantFrom("x".repeat(70_000), "[".repeat(20_000), "9".repeat(400)),
);
const labelKeys = [
  "pod-group.scheduling.sigs.k8s.io",
  "pod-group.scheduling.sigs.k8s.io/name",
  "pod-group.scheduling.sigs.k8s.io/min-available",
  "pod-group/name",
  "pod-group/min-available",
  "scheduling.x-k8s.io/pod-group",
  "leaderworkerset.sigs.k8s.io/name",
  "leaderworkerset.sigs.k8s.io/group-index",
  "applicationId",
  "app",
  "rack",
  "constructor",
  "kubernetes.io/hostname",
];
const annotationKeys = [
  ...["name", "min-available", "total-number", "mode", "waiting-time", "match-policy", "groups"]
    .map((field) => koordinator + field),
  `${koordinator}timeout`,
  `${koordinator}network-topology-spec`,
  "scheduling.k8s.io/group-name",
  "scheduling.volcano.sh/group-name",
  ...["required-topology", "preferred-topology", "topology-slice", "role", "role-min", "disruption"]
    .map((field) => `muster.scheduling/${field}`),
  "muster.scheduling/expected-duration",
  "kueue.x-k8s.io/podset-slice-required-topology",
  "pod-group-name",
  "yunikorn.apache.org/task-group-name",
  "yunikorn.apache.org/task-groups",
  "leaderworkerset.sigs.k8s.io/size",
];
const labels = fc.dictionary(fc.constantFrom(...labelKeys), labelValue, fromProperties);
/** Also node labels, and what every object has. */
const annotationText = fc.oneof(anyText, fc.constantFrom("rack", "constructor", "toString"));
const annotations = fc.dictionary(
  fc.constantFrom(...annotationKeys),
  annotationText,
  fromProperties,
);

/** As the API server writes quantities that it has taken. */
const quantity = fc.constantFrom(
  "0",
  "1",
  "500m",
  "1Gi",
  "9223372036854775807",
  "1e18",
  "1n",
  "1Ei",
);
const resource = fc.constantFrom("cpu", "memory", "nvidia.com/gpu", "pods", "example.com/x");
const resources = fc.dictionary(resource, quantity, fromProperties);
const container = fc.record({
  name: fc.constant("main"),
  resources: fc.record({ requests: resources, limits: resources }, { requiredKeys: [] }),
  ports: fc.array(
    fc.record({ hostPort: fc.constantFrom(0, 80, 65535), protocol: fc.constant("TCP") }),
    { maxLength: 2 },
  ),
  restartPolicy: fc.constant("Always"),
}, { requiredKeys: ["name"] });
const requirement = fc.record({
  key: fc.constantFrom("rack", "app", "kubernetes.io/hostname"),
  operator: fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Later"),
  values: fc.array(labelValue, { maxLength: 3 }),
}, { requiredKeys: ["key", "operator"] });
const selector = fc.record({
  matchLabels: labels,
  matchExpressions: fc.array(requirement, { maxLength: 2 }),
}, { requiredKeys: [] });
const term = fc.record({
  matchExpressions: fc.array(requirement, { maxLength: 2 }),
  matchFields: fc.constant([{ key: "metadata.name", operator: "In", values: ["node-1"] }]),
}, { requiredKeys: [] });
const toleration = fc.record({
  key: fc.constantFrom("a", ""),
  operator: fc.constantFrom("Exists", "Equal", "Lt"),
  effect: fc.constantFrom("NoSchedule", ""),
}, { requiredKeys: [] });
const podSpec = fc.record({
  schedulerName: fc.constantFrom("idle", "muster", "default-scheduler", "other"),
  containers: fc.array(container, { minLength: 1, maxLength: 2 }),
  initContainers: fc.array(container, { maxLength: 2 }),
  priority: fc.constantFrom(0, -1, 2 ** 31 - 1, -(2 ** 31)),
  preemptionPolicy: fc.constantFrom("Never", "PreemptLowerPriority"),
  schedulingGroup: fc.record({ podGroupName: labelValue }),
  schedulingGates: fc.constantFrom([{ name: "muster.scheduling/queued" }], [{ name: "other" }]),
  nodeName: fc.constantFrom("node-1", "nowhere"),
  nodeSelector: labels,
  overhead: resources,
  resources: fc.record({ requests: resources }),
  tolerations: fc.array(toleration, { maxLength: 2 }),
  affinity: fc.record({
    nodeAffinity: fc.record({
      requiredDuringSchedulingIgnoredDuringExecution: fc.record({
        nodeSelectorTerms: fc.array(term, { minLength: 1, maxLength: 2 }),
      }),
    }),
    podAntiAffinity: fc.record({
      requiredDuringSchedulingIgnoredDuringExecution: fc.array(
        fc.record({
          topologyKey: fc.constantFrom("rack", "kubernetes.io/hostname"),
          labelSelector: selector,
        }, { requiredKeys: ["topologyKey"] }),
        { maxLength: 2 },
      ),
    }),
  }, { requiredKeys: [] }),
}, { requiredKeys: ["containers", "schedulerName"] });
const podStatus = fc.record({
  phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown"),
  startTime: fc.constantFrom("2026-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
  nominatedNodeName: fc.constantFrom("node-1", "nowhere", ""),
  conditions: fc.array(
    fc.record({
      type: fc.constantFrom("PodScheduled", "Ready"),
      status: fc.constantFrom("True", "False", "Unknown"),
      reason: fc.constantFrom("Unschedulable", "SchedulingGated", "SchedulerError"),
      message: anyText,
    }, { requiredKeys: ["type", "status"] }),
    { maxLength: 2 },
  ),
}, { requiredKeys: [] });

const name = fc.constantFrom("a", "b", "c", "tf", "constructor", "x".repeat(63));
const time = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
);

function metadata(namespaced: boolean) {
  return fc.record({
    name,
    uid: fc.uuid(),
    creationTimestamp: time,
    labels,
    annotations,
    generation: fc.nat(3),
    deletionTimestamp: time,
    ownerReferences: fc.constantFrom(
      [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "d", controller: true }],
      [{ kind: "Job", name: "j" }],
    ),
    ...(namespaced && { namespace: fc.constantFrom("default", "x") }),
  }, {
    requiredKeys: [
      "name",
      "uid",
      "creationTimestamp",
      ...(namespaced ? ["namespace" as const] : []),
    ],
  });
}

function written(
  storage: string,
  { apiVersion, kind, namespaced, ...parts }: {
    apiVersion: string;
    kind: string;
    namespaced: boolean;
    [part: string]: unknown;
  },
): fc.Arbitrary<Written> {
  const object = fc.record({
    apiVersion: fc.constant(apiVersion),
    kind: fc.constant(kind),
    metadata: metadata(namespaced),
    ...parts as Record<string, fc.Arbitrary<unknown>>,
  });
  const isGone = fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  );
  return fc.record({ storage: fc.constant(storage), object, isGone }) as fc.Arbitrary<Written>;
}

const pod = written("pods", {
  apiVersion: "v1",
  kind: "Pod",
  namespaced: true,
  spec: podSpec,
  status: podStatus,
});
const node = written("nodes", {
  apiVersion: "v1",
  kind: "Node",
  namespaced: false,
  spec: fc.record({
    unschedulable: fc.boolean(),
    taints: fc.array(
      fc.record({ key: fc.constantFrom("a", "b"), effect: fc.constantFrom("NoSchedule", "Other") }),
      { maxLength: 2 },
    ),
  }, { requiredKeys: [] }),
  status: fc.record({ allocatable: resources, capacity: resources }),
});
const budget = written("poddisruptionbudgets", {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  namespaced: true,
  spec: fc.record({ selector }, { requiredKeys: [] }),
  status: fc.record({ disruptionsAllowed: fc.nat(2) }, { requiredKeys: [] }),
});

const specField = fc.constantFrom(
  "minMember",
  "minMembers",
  "minTaskMember",
  "minResources",
  "totalResources",
  "scheduleTimeoutSeconds",
  "schedulingPolicy",
  "subGroups",
  "subGroupPolicy",
  "networkTopology",
  "topologyConstraint",
  "topology",
  "parentCompositePodGroupName",
  "disruptionMode",
  "priorityClassName",
  "queue",
);
const podGroupSpec = fc.dictionary(
  specField,
  fc.oneof(
    anyText,
    count,
    fc.integer(),
    fc.jsonValue(),
    resources,
    fc.dictionary(labelValue, count, fromProperties),
    fc.record({ gang: fc.record({ minCount: fc.oneof(count, fc.jsonValue()) }) }),
    fc.array(
      fc.record({
        name: fc.oneof(labelValue, fc.jsonValue()),
        minMember: fc.oneof(count, fc.jsonValue()),
        parent: labelValue,
        topologyConstraint: fc.jsonValue(),
      }, { requiredKeys: [] }),
      { maxLength: 3 },
    ),
  ),
  { maxKeys: 5, noNullPrototype: true },
);
const podGroup = fc.constantFrom(...podGroupKinds).chain(({ group, versions }) =>
  written(`podgroups.${group}`, {
    apiVersion: `${group}/${versions[0]}`,
    kind: "PodGroup",
    namespaced: true,
    spec: fc.oneof({ weight: 20, arbitrary: podGroupSpec }, {
      weight: 1,
      arbitrary: fc.jsonValue(),
    }),
    status: fc.oneof(fc.jsonValue(), fc.constant({}), fc.constant({ phase: "Running" })),
  })
);

const compositeSpec = fc.record({
  parentCompositePodGroupName: fc.oneof(name, anyText, fc.jsonValue()),
  schedulingPolicy: fc.oneof(
    fc.record({ gang: fc.record({ minGroupCount: fc.oneof(count, fc.jsonValue()) }) }),
    fc.constant({ basic: {} }),
    fc.jsonValue(),
  ),
  schedulingConstraints: fc.oneof(
    fc.record({ topology: fc.array(fc.record({ key: anyText }), { maxLength: 2 }) }),
    fc.jsonValue(),
  ),
  disruptionMode: fc.jsonValue(),
}, { requiredKeys: [] });
const composite = written("compositepodgroups.scheduling.k8s.io", {
  apiVersion: "scheduling.k8s.io/v1",
  kind: "CompositePodGroup",
  namespaced: true,
  spec: fc.oneof({ weight: 20, arbitrary: compositeSpec }, {
    weight: 1,
    arbitrary: fc.jsonValue(),
  }),
  status: fc.jsonValue(),
});

/** What one burst of a watch brings. */
export const burst: fc.Arbitrary<Written[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: pod },
    { weight: 3, arbitrary: podGroup },
    { weight: 1, arbitrary: composite },
    { weight: 1, arbitrary: node },
    { weight: 1, arbitrary: budget },
  ),
  { minLength: 1, maxLength: 12 },
);
