import type { Chance } from "../../../tools/chance.ts";

/** A node, who is there already, and a pod that may go nowhere else; as users and kubelets write them. */
export interface Pair {
  readonly node: Body;
  readonly there: readonly Occupant[];
  readonly pod: Body;
}

/** A pod that is bound to the node, and what happened to it there. */
export interface Occupant {
  readonly pod: Body;
  /** Its containers as they are resized. */
  readonly resized?: Body[];
  readonly status?: Body;
  /** It is being deleted, and stays because of its finalizer. */
  readonly isDeleted: boolean;
}

interface Names {
  readonly name: string;
  readonly node: string;
}

/** Any object of the API. */
// deno-lint-ignore no-explicit-any -- written as users write them, right and wrong
export type Body = any;

const cpus = ["0", "1m", "0.1", "100m", "250m", "500m", "0.5", "1", "1e0", "1500m", "500001u"];
const bytes = [
  "0",
  "1",
  "1k",
  "1Ki",
  "1e3",
  "500m",
  "1500m",
  "0.5Ki",
  "0.1Mi",
  "1M",
  "1Mi",
  "1024Ki",
];
const devices = ["0", "1", "2", "1e0", "1k"];
const accelerator = "example.com/accelerator";
const labels: Record<string, readonly string[]> = {
  zone: ["a", "b", ""],
  size: ["1", "5", "05", "10", "large"],
};
const overcommitted = {
  cpu: [cpus, "64"],
  memory: [bytes, "1Gi"],
  "ephemeral-storage": [bytes, "1Gi"],
} as const;
const scarce = { [accelerator]: ["0", "1", "1e0", "2"], "hugepages-2Mi": ["0", "2Mi", "2048Ki"] };
const effects = ["NoSchedule", "NoExecute", "PreferNoSchedule"];
const taintKeys = ["dedicated", "example.com/gpu"];
const taintValues = ["", "a", "5"];

/** Of one the overhead is added to a pod, of the other it is said where the pod runs. */
export const runtimeClasses = [
  { metadata: { name: "heavy" }, overhead: { podFixed: { cpu: "100m", memory: "500m" } } },
  {
    metadata: { name: "zoned" },
    scheduling: {
      nodeSelector: { zone: "a" },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
    },
  },
].map((parts) => ({
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  handler: "any",
  ...parts,
}));

/** The pair of a number: of even ones what is asked for matters, of odd ones where pods may run. */
export function pairOf(number: number, chance: Chance): Pair {
  const name = `node-${number}`;
  const isOfRoom = number % 2 === 0;
  return {
    node: nodeOf(name, chance, isOfRoom),
    there: some(
      chance,
      isOfRoom ? 3 : 0,
      (at) => occupantOf({ name: `${name}-${at}`, node: name }, chance),
    ),
    pod: triedOf({ name: `pod-${number}`, node: name }, chance, isOfRoom),
  };
}

function nodeOf(name: string, chance: Chance, isOfRoom: boolean): Body {
  const allocatable = {
    cpu: chance.pick(["2", "2500m", "4", "4001m"]),
    memory: chance.pick(["1Ki", "1025k", "2Mi", "4Mi", "8Mi"]),
    pods: chance.pick(["1", "2", "3", "10", "10", "10"]),
    ...maybe(chance, 60, { "ephemeral-storage": chance.pick(["1", "1Ki", "2Mi", "8Mi"]) }),
    ...maybe(chance, 60, { [accelerator]: chance.pick(devices) }),
    ...maybe(chance, 60, { "hugepages-2Mi": chance.pick(["0", "2Mi", "4Mi"]) }),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...someLabels(chance) } },
    spec: {
      taints: unique(
        some(chance, isOfRoom ? 0 : 2, () => ({
          key: chance.pick(taintKeys),
          value: chance.pick(taintValues),
          effect: chance.pick(effects),
        })),
        ({ key, effect }) => `${key} ${effect}`,
      ),
      ...maybe(chance, isOfRoom ? 0 : 20, { unschedulable: true }),
    },
    status: {
      capacity: { ...allocatable, cpu: "64", memory: "64Gi", pods: "64" },
      allocatable,
      declaredFeatures: ["InPlacePodLevelResourcesVerticalScaling"],
    },
  };
}

function someLabels(chance: Chance): Record<string, string> {
  const keys = Object.keys(labels).filter(() => chance.percent(70));
  return Object.fromEntries(keys.map((key) => [key, chance.pick(labels[key]!)!]));
}

function occupantOf({ name, node }: Names, chance: Chance): Occupant {
  const spec = resourcesOf(chance);
  const pod = podOf(name, { ...spec, nodeName: node, tolerations: [{ operator: "Exists" }] });
  const isDeleted = chance.percent(15);
  if (isDeleted) pod.metadata.finalizers = ["example.com/kept"];
  const phase = chance.percent(20) ? chance.pick(["Succeeded", "Failed"]) : "Pending";
  if (chance.percent(15)) {
    const nominated = podOf(name, { ...spec, schedulingGates: [{ name: "example.com/gate" }] });
    return { pod: nominated, isDeleted: false, status: { phase, nominatedNodeName: node } };
  }
  if (phase !== "Pending") return { pod, isDeleted, status: { phase } };
  if (chance.percent(40)) return { pod, isDeleted };
  const resized = spec.containers.map(({ name }: Body) => ({
    name,
    resources: { requests: amountsOf(chance) },
  }));
  const status = resizeStatusOf(spec, chance);
  return { pod, isDeleted, status, ...maybe(chance, 60, { resized }) };
}

/** What a node says that a pod has. */
function resizeStatusOf({ containers, initContainers = [] }: Body, chance: Chance): Body {
  const statusOf = ({ name }: Body) => ({
    name,
    image: "none",
    imageID: "",
    ready: true,
    restartCount: 0,
    ...maybe(chance, 80, { allocatedResources: amountsOf(chance) }),
    ...maybe(chance, 80, { resources: maybe(chance, 80, { requests: amountsOf(chance) }) }),
  });
  return {
    phase: "Running",
    containerStatuses: containers.map(statusOf),
    initContainerStatuses: initContainers.map(statusOf),
    ...maybe(chance, 20, { allocatedResources: amountsOf(chance) }),
    ...maybe(chance, 20, { resources: { requests: amountsOf(chance) } }),
    ...maybe(chance, 50, {
      conditions: [{
        type: "PodResizePending",
        status: "True",
        reason: chance.pick(["Infeasible", "Deferred"]),
      }],
    }),
  };
}

function amountsOf(chance: Chance): Body {
  return { cpu: chance.pick(cpus), memory: chance.pick(bytes) };
}

/** A pod that no other node takes. */
function triedOf({ name, node }: Names, chance: Chance, isOfRoom: boolean): Body {
  const pinned = [{ key: "metadata.name", operator: "In", values: [node] }];
  const terms = some(chance, isOfRoom ? 0 : 3, () => ({
    ...maybe(chance, 90, { matchExpressions: some(chance, 2, () => requirementOf(chance)) }),
    ...maybe(chance, 20, {
      matchFields: [{
        key: "metadata.name",
        operator: "NotIn",
        values: [chance.pick([node, "other"])],
      }],
    }),
  }));
  // A term that says nothing takes no node, and would take this one if it were pinned.
  const pinnedTerms = terms.map(({ matchExpressions = [], matchFields = [] }: Body) =>
    matchExpressions.length + matchFields.length === 0
      ? {}
      : { matchExpressions, matchFields: [...matchFields, ...pinned] }
  );
  const nodeSelectorTerms = pinnedTerms.length > 0 ? pinnedTerms : [{ matchFields: pinned }];
  return podOf(name, {
    ...(isOfRoom ? resourcesOf(chance) : { containers: [{ name: "a", image: "none" }] }),
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
    ...maybe(chance, isOfRoom ? 0 : 20, { nodeSelector: someLabels(chance) }),
    tolerations: some(chance, 4, () => tolerationOf(chance)),
  });
}

function requirementOf(chance: Chance): Body {
  const key = chance.pick([...Object.keys(labels), "none"])!;
  const operator = chance.pick(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])!;
  const values = labels[key] ?? ["a"];
  if (operator.includes("Exist")) return { key, operator };
  if (operator === "Gt" || operator === "Lt") {
    const than = chance.pick([...values, "-1", "+4", "x"]);
    return { key, operator, values: [than] };
  }
  return { key, operator, values: [chance.pick(values), chance.pick(values)] };
}

function tolerationOf(chance: Chance): Body {
  const effect: Body = maybe(chance, 60, { effect: chance.pick(effects) });
  if (effect.effect === "NoExecute" && chance.percent(50)) effect.tolerationSeconds = 5;
  const key = chance.pick([...taintKeys, "node.kubernetes.io/unschedulable"]);
  return chance.pick([
    { operator: "Exists", ...effect },
    { key, operator: "Exists", ...effect },
    { key, operator: "Equal", value: chance.pick(taintValues), ...effect },
    { key, value: chance.pick(taintValues), ...effect },
  ]);
}

/** Containers of all sorts, and what is asked for beside them. */
function resourcesOf(chance: Chance): Body {
  const container = (name: string) => ({
    name,
    image: "none",
    ...maybe(chance, 90, { resources: requirementsOf(chance) }),
  });
  return {
    containers: [container("a"), ...some(chance, 1, () => container("b"))],
    initContainers: some(chance, 3, (at) => ({
      ...container(`init-${at}`),
      ...maybe(chance, 50, { restartPolicy: "Always" }),
    })),
    ...maybe(chance, 20, { resources: podRequirementsOf(chance) }),
    ...maybe(chance, 20, { runtimeClassName: chance.pick(["heavy", "zoned"]) }),
  };
}

/** Of each resource nothing, requests, limits, or both. */
function requirementsOf(chance: Chance): Body {
  const requests: Body = {};
  const limits: Body = {};
  for (const [resource, [amounts, enough]] of Object.entries(overcommitted)) {
    const amount = chance.pick(amounts);
    const how = chance.below(6);
    if (how === 1 || how === 2) requests[resource] = amount;
    if (how === 2) limits[resource] = enough;
    if (how === 3) limits[resource] = amount;
  }
  for (const [resource, amounts] of Object.entries(scarce)) {
    if (!chance.percent(15)) continue;
    limits[resource] = chance.pick(amounts);
    if (chance.percent(50)) requests[resource] = limits[resource];
  }
  return { requests, limits };
}

function podRequirementsOf(chance: Chance): Body {
  const some = (cpu: string[], memory: string[]) => ({
    ...maybe(chance, 60, { cpu: chance.pick(cpu) }),
    ...maybe(chance, 60, { memory: chance.pick(memory) }),
  });
  return {
    ...maybe(chance, 60, { requests: some(["1", "1500m", "2", "3"], ["1Mi", "2Mi", "4Mi"]) }),
    ...maybe(chance, 60, { limits: some(["3", "4"], ["4Mi", "5Mi"]) }),
  };
}

/** A pod of that spec. */
export function podOf(name: string, spec: Body): Body {
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
}

function some<T>(chance: Chance, most: number, one: (at: number) => T): T[] {
  return Array.from({ length: chance.below(most + 1) }, (_, at) => one(at));
}

function maybe<T extends object>(chance: Chance, percent: number, part: T): Partial<T> {
  return chance.percent(percent) ? part : {};
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
