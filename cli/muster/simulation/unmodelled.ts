/**
 * What of a pod only the scheduler knows how to weigh.
 *
 * @module
 */
import { requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";

/** Parts of a pod's spec that the fit does not read. */
interface Spec {
  readonly affinity?: Record<"podAffinity" | "podAntiAffinity", Required | undefined>;
  readonly topologySpreadConstraints?: readonly { readonly whenUnsatisfiable?: string }[];
  readonly resourceClaims?: readonly unknown[];
  readonly volumes?: readonly Record<string, unknown>[];
  readonly containers?: readonly { readonly ports?: readonly { readonly hostPort?: number }[] }[];
  readonly runtimeClassName?: string;
  readonly overhead?: unknown;
}

interface Required {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly unknown[];
}

/** Volumes that tie a pod to some of the nodes, or whose number is limited on each. */
const boundVolumes = [
  "persistentVolumeClaim",
  "ephemeral",
  "csi",
  "awsElasticBlockStore",
  "azureDisk",
  "gcePersistentDisk",
  "cinder",
  "iscsi",
  "rbd",
];

/**
 * Constraints of a pod that are not modelled: with them, a verdict of "starts" is what may be at best. DeviceClasses serve
 * the resources of `served`.
 */
export function unmodelled(pod: Pod, served: ReadonlySet<string>): string[] {
  const spec = pod.spec as Spec;
  const isRequired = (kind: "podAffinity" | "podAntiAffinity") =>
    (spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;
  const found: [name: string, isThere: boolean | undefined][] = [
    ["pod affinity", isRequired("podAffinity")],
    ["pod anti-affinity", isRequired("podAntiAffinity")],
    [
      "topology spread",
      spec.topologySpreadConstraints?.some(({ whenUnsatisfiable }) =>
        whenUnsatisfiable !== "ScheduleAnyway"
      ),
    ],
    ["resource claims", (spec.resourceClaims?.length ?? 0) > 0],
    ["devices", [...requestsOf(pod).keys()].some((resource) => served.has(resource))],
    ["volumes", spec.volumes?.some((volume) => boundVolumes.some((kind) => kind in volume))],
    [
      "host ports",
      spec.containers?.some(({ ports }) => ports?.some(({ hostPort }) => (hostPort ?? 0) > 0)),
    ],
    ["overhead of its RuntimeClass", spec.runtimeClassName !== undefined && !spec.overhead],
  ];
  return found.filter(([, isThere]) => isThere).map(([name]) => name);
}
