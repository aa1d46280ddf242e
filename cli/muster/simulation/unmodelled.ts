/**
 * What of a pod only the scheduler knows how to weigh.
 *
 * @module
 */
import { keepsFromOthers } from "../../../shared/kubernetes/counting/exclusive.ts";
import { requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";

/** Parts of a pod's spec that the fit does not read. */
interface Spec {
  readonly resourceClaims?: readonly unknown[];
  readonly volumes?: readonly Record<string, unknown>[];
  readonly runtimeClassName?: string;
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
  const spec = pod.spec as Pod["spec"] & Spec;
  const together = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const found: [name: string, isThere: boolean | undefined][] = [
    ["pod affinity", (together?.length ?? 0) > 0],
    ["pod anti-affinity", keepsFromOthers(pod)],
    [
      "topology spread",
      spec.topologySpreadConstraints?.some(({ whenUnsatisfiable }) =>
        whenUnsatisfiable !== "ScheduleAnyway"
      ),
    ],
    ["resource claims", (spec.resourceClaims?.length ?? 0) > 0],
    ["devices", [...requestsOf(pod).keys()].some((resource) => served.has(resource))],
    ["volumes", spec.volumes?.some((volume) => boundVolumes.some((kind) => kind in volume))],
    ["overhead of its RuntimeClass", spec.runtimeClassName !== undefined && !spec.overhead],
  ];
  return found.filter(([, isThere]) => isThere).map(([name]) => name);
}
