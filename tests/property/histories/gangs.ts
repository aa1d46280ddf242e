import { ownGate } from "../../../shared/kubernetes/counting/census.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";

/** A gang that pods may be created of. */
export interface GangPlan {
  readonly minMember: number;
  /** What each member asks for. */
  readonly gpus: number;
  readonly cpus: number;
  readonly priority: number;
  /** Nothing is said of where its members would rather run. */
  readonly isIndifferent?: boolean | undefined;
  /** What its members say besides, as annotations `muster.scheduling/<name>`. */
  readonly says?: Readonly<Record<string, string>> | undefined;
  /** Its members are of these roles in turn. */
  readonly roles?: readonly string[] | undefined;
}

/** Koordinator's gang group of gangs 2 and 3, over two namespaces. */
const together = JSON.stringify(["a/g2", "b/g3"]);

/** The gang whose members do not wait for each other once they have been held for long enough. */
export const nonStrictGang = 1;

/** The gang that a PodGroup declares. */
export const podGroupGang = 4;

/** How a member declares its gang, by the gang's number: one of each dialect that differs in what it can say. */
const declarations:
  ((name: string, minMember: number) => Pick<Pod["metadata"], "labels" | "annotations">)[] = [
    sigs,
    (name, minMember) => koordinator(name, minMember, { mode: "NonStrict" }),
    (name, minMember) => koordinator(name, minMember, { groups: together }),
    (name, minMember) => koordinator(name, minMember, { groups: together }),
    (name) => ({ labels: { "scheduling.x-k8s.io/pod-group": name } }),
    (name, minMember) =>
      koordinator(name, minMember, { "waiting-time": "5s", "match-policy": "waiting-and-running" }),
    (name, minMember) => koordinator(name, minMember, { "match-policy": "only-waiting" }),
  ];

/** The highest number of a gang that is in no tree. */
export const lastGang = declarations.length - 1;

/** The first of the gangs that native PodGroups declare, where a history has a tree of them. */
export const firstTreeGang = declarations.length;

/** All nodes have it: only members that tolerate it leave the scheduler nothing to weigh. */
const lastChoice = { key: "last-choice", effect: "PreferNoSchedule" };

/** A scheduling gate of somebody else. */
export const foreignGate = "example.com/quota";

/** The gates that members may be created with. */
export const gates = {
  none: [],
  own: [{ name: ownGate }],
  foreign: [{ name: foreignGate }],
  both: [{ name: foreignGate }, { name: ownGate }],
} as const;

/** A member of the gang of that number, which has so many already. */
export function memberOf(
  gang: number,
  plan: GangPlan,
  { gate, index }: { gate: keyof typeof gates; index: number },
) {
  const name = `g${gang}`;
  const { labels, annotations } = declarations[gang]?.(name, plan.minMember) ?? {};
  const role = plan.roles?.[index % plan.roles.length];
  const says = Object.entries({ ...plan.says, ...(role !== undefined && { role }) });
  const said = Object.fromEntries(says.map(([key, text]) => [`muster.scheduling/${key}`, text]));
  return {
    metadata: { ...(labels && { labels }), annotations: { ...annotations, ...said } },
    spec: {
      ...specOf(plan),
      ...(plan.isIndifferent && { tolerations: [{ ...lastChoice, operator: "Exists" }] }),
      schedulingGates: gates[gate],
      ...(gang >= firstTreeGang && { schedulingGroup: { podGroupName: name } }),
    },
  };
}

/** A pod without a gang. */
export function regularPod(asks: { priority: number; cpus: number; gpus: number }) {
  return { metadata: {}, spec: specOf(asks) };
}

/** The node of that number, in its rack and block. */
export function nodeOf(number: number, { gpus, cpus }: { gpus: number; cpus: number }): Node {
  const name = `node-${number}`;
  const labels = { rack: `r${number % 2}`, block: number % 3 === 2 ? "b1" : "b0" };
  const allocatable = { "nvidia.com/gpu": String(gpus), cpu: String(cpus), pods: "110" };
  return {
    metadata: { name, uid: name, labels },
    spec: { taints: [lastChoice] },
    status: { allocatable },
  };
}

/** Where the gang of that number lives. */
export function namespaceOf(gang: number): string {
  return gang === 3 || gang === podGroupGang ? "b" : "a";
}

/** The PodGroup of the gang that has one. */
export function podGroupOf(minMember: number) {
  return {
    apiVersion: "scheduling.x-k8s.io/v1alpha1",
    kind: "PodGroup",
    metadata: { namespace: namespaceOf(podGroupGang), name: `g${podGroupGang}` },
    spec: { minMember },
  };
}

function sigs(name: string, minMember: number) {
  return {
    labels: {
      "pod-group.scheduling.sigs.k8s.io/name": name,
      "pod-group.scheduling.sigs.k8s.io/min-available": String(minMember),
    },
  };
}

function koordinator(name: string, minMember: number, more: Record<string, string>) {
  const fields = { name, "min-available": String(minMember), ...more };
  return {
    annotations: Object.fromEntries(
      Object.entries(fields).map((
        [key, value],
      ) => [`gang.scheduling.koordinator.sh/${key}`, value]),
    ),
  };
}

function specOf(
  { priority, cpus, gpus }: Pick<GangPlan, "priority" | "cpus" | "gpus">,
): Pod["spec"] {
  const requests = { cpu: String(cpus), "nvidia.com/gpu": String(gpus) };
  return { priority, containers: [{ resources: { requests } }] };
}
