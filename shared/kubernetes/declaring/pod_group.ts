/**
 * The kinds of PodGroup that declare gangs (DESIGN section 4), each with what it says in its own words.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import { shortened } from "../../core/words/text.ts";
import { type Declaration, defined, entered, textOf, type Written } from "./declaration.ts";
import { nativeDisruption } from "./declared_disruption.ts";
import type { PodGroupRole } from "./declared_roles.ts";
import { kaiRoles, volcanoRoles } from "./pod_group_roles.ts";
import type { ObjectMeta, ResourceList } from "../types.ts";

/** A PodGroup of any kind; what its spec holds depends on the kind. */
export interface PodGroup {
  readonly apiVersion: string;
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A kind of PodGroup. */
export interface PodGroupKind {
  /** The API group. */
  readonly group: string;
  readonly plural: "podgroups";
  /** Versions that can be read, the best first; the API server serves some of them or none. */
  readonly versions: readonly string[];
  /** Where the quorum is written. */
  readonly quorumField: string;
  readonly declaration: (podGroup: PodGroup) => Declaration;
  /** Absent: the kind knows no roles. */
  readonly roles?: (podGroup: PodGroup) => readonly PodGroupRole[];
}

/** Prefix of the annotations of S3. */
export const koordinator = "gang.scheduling.koordinator.sh/";

/** `scheduling.sigs.k8s.io`, which Koordinator serves (S3). */
export const sigsPodGroup: PodGroupKind = {
  group: "scheduling.sigs.k8s.io",
  plural: "podgroups",
  versions: ["v1alpha1"],
  quorumField: "spec.minMember",
  declaration: coschedulingDeclaration,
};

/** `scheduling.x-k8s.io`, of scheduler-plugins. */
export const xPodGroup: PodGroupKind = {
  group: "scheduling.x-k8s.io",
  plural: "podgroups",
  versions: ["v1alpha1"],
  quorumField: "spec.minMember",
  declaration: coschedulingDeclaration,
};

/** `incubator.scheduling.k8s.io`, of kube-batch (S4). */
export const kubeBatchPodGroup: PodGroupKind = {
  group: "incubator.scheduling.k8s.io",
  plural: "podgroups",
  versions: ["v1alpha1"],
  quorumField: "spec.minMembers",
  declaration: ({ spec }) => ({
    minMember: written(spec, "minMembers") ?? written(spec, "MinMembers") ??
      written(spec, "minMember"),
    minResources: resources(spec?.["totalResources"] ?? spec?.["TotalResources"]),
  }),
};

/** `scheduling.volcano.sh`, of Volcano. */
export const volcanoPodGroup: PodGroupKind = {
  group: "scheduling.volcano.sh",
  plural: "podgroups",
  versions: ["v1beta1"],
  quorumField: "spec.minMember",
  declaration: (podGroup) => ({
    ...queuedDeclaration(podGroup),
    tiers: written(podGroup.spec, "networkTopology", limits.rolesText),
  }),
  roles: volcanoRoles,
};

/** `scheduling.run.ai`, of the KAI scheduler. */
export const kaiPodGroup: PodGroupKind = {
  group: "scheduling.run.ai",
  plural: "podgroups",
  versions: ["v2alpha2"],
  quorumField: "spec.minMember",
  declaration: (podGroup) => ({ ...queuedDeclaration(podGroup), ...kaiTopology(podGroup) }),
  roles: kaiRoles,
};

/** `scheduling.k8s.io`, of Kubernetes itself (KEP-4671). */
export const nativePodGroup: PodGroupKind = {
  group: "scheduling.k8s.io",
  plural: "podgroups",
  versions: ["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2"],
  quorumField: "spec.schedulingPolicy.gang.minCount",
  declaration: ({ spec }) => {
    const policy = spec?.["schedulingPolicy"] as
      | Record<string, Record<string, unknown>>
      | undefined;
    // A basic policy asks for no gang: every member may go alone.
    return {
      ...(policy?.["basic"] && !policy["gang"]
        ? { minMember: { text: "1", field: "spec.schedulingPolicy.basic" } }
        : { minMember: written(policy?.["gang"], "minCount") }),
      required: nativeTopology(spec),
      disruption: nativeDisruption(spec?.["disruptionMode"]),
    };
  },
};

/** All kinds. */
export const podGroupKinds: readonly PodGroupKind[] = [
  sigsPodGroup,
  xPodGroup,
  kubeBatchPodGroup,
  volcanoPodGroup,
  kaiPodGroup,
  nativePodGroup,
];

/** What annotations of S3 say, on a pod or on a PodGroup. */
export function annotationDeclaration(
  annotations: Readonly<Record<string, string>> | undefined,
): Declaration {
  const annotation = (name: string): Written | undefined => {
    const text = annotations?.[koordinator + name];
    const most = name.endsWith("groups") ? limits.groupsText : limits.value;
    return text === undefined
      ? undefined
      : { text: entered(text, most), field: `annotation ${koordinator}${name}` };
  };
  return {
    minMember: annotation("min-available"),
    totalMember: annotation("total-number"),
    mode: annotation("mode"),
    wait: annotation("waiting-time"),
    matchPolicy: annotation("match-policy"),
    groups: annotation("groups") ?? annotation("gang-groups"),
  };
}

function coschedulingDeclaration({ metadata, spec }: PodGroup): Declaration {
  const timeout = written(spec, "scheduleTimeoutSeconds");
  return {
    ...defined(annotationDeclaration(metadata.annotations)),
    minMember: written(spec, "minMember"),
    // Absent or 0: the default (S3).
    ...(timeout && timeout.text !== "0" && { wait: { ...timeout, text: `${timeout.text}s` } }),
    minResources: resources(spec?.["minResources"]),
  };
}

function kaiTopology({ spec }: PodGroup): Declaration {
  const constraint = spec?.["topologyConstraint"] as Record<string, unknown> | undefined;
  const level = (name: string): Written | undefined => {
    const text = written(constraint, name, limits.nodeLabel);
    return text && text.text !== ""
      ? { ...text, field: `spec.topologyConstraint.${name}` }
      : undefined;
  };
  return { required: level("requiredTopologyLevel"), preferred: level("preferredTopologyLevel") };
}

/** Kubernetes takes one constraint at the most. */
export function nativeTopology(spec: PodGroup["spec"]): Written | undefined {
  const constraints = spec?.["schedulingConstraints"] as
    | { topology?: readonly Record<string, unknown>[] }
    | undefined;
  const key = written(constraints?.topology?.[0], "key", limits.nodeLabel);
  return key && { ...key, field: "spec.schedulingConstraints.topology[0].key" };
}

function queuedDeclaration({ spec }: PodGroup): Declaration {
  const queue = spec?.["queue"];
  return {
    minMember: written(spec, "minMember"),
    minResources: resources(spec?.["minResources"]),
    ...(typeof queue === "string" && queue !== "" &&
      { queue: shortened(queue, limits.objectName) }),
  };
}

/** A field of a spec, as much of it as may be said in so many letters. */
export function written(
  spec: Readonly<Record<string, unknown>> | undefined,
  name: string,
  most: number = limits.value,
): Written | undefined {
  const value = spec?.[name];
  return value === undefined || value === null
    ? undefined
    : { text: entered(textOf(value), most), field: `spec.${name}` };
}

function resources(list: unknown): ResourceList | undefined {
  if (typeof list !== "object" || list === null) return undefined;
  const entries = Object.entries(list).slice(0, limits.resources + 1);
  return Object.fromEntries(
    entries.map(([name, amount]) => [
      entered(name, limits.resourceName),
      entered(textOf(amount), limits.quantity),
    ]),
  );
}

/** Whether a PodGroup, or what it is in, declares the same as before: its status says what the relay knows already. */
export function saysSame(a: PodGroup, b: PodGroup): boolean {
  const key = ({ apiVersion, metadata, spec }: PodGroup) =>
    JSON.stringify([apiVersion, metadata.uid, metadata.annotations, spec]);
  return key(a) === key(b);
}
