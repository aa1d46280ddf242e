import { versions } from "./programs.ts";

const [, minor] = /^v1\.(\d+)\./.exec(versions.kubernetes) ?? [];
const isBeta = Number(minor) >= 37;

/** Kubernetes' own PodGroups (KEP-4671) in the version that is built. */
export const nativePodGroups = {
  apiVersion: isBeta ? "scheduling.k8s.io/v1beta1" : "scheduling.k8s.io/v1alpha2",
  /** What tells whether a gang is placed. */
  condition: isBeta ? "PodGroupInitiallyScheduled" : "PodGroupScheduled",
  /** Once true, the condition is never false again. */
  isPlacedForGood: isBeta,
};

/** Flags for kube-apiserver, which serves them only where it is told to. */
export const nativePodGroupArgs: string[] = [
  "--feature-gates=GenericWorkload=true",
  `--runtime-config=${nativePodGroups.apiVersion}=true`,
];

/** CompositePodGroups, from 1.37 on. */
export const compositePodGroups = { apiVersion: "scheduling.k8s.io/v1alpha3" };

/** Flags for kube-apiserver that serves these too. */
export const compositePodGroupArgs: string[] = [
  "--feature-gates=GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true",
  `--runtime-config=${nativePodGroups.apiVersion}=true,${compositePodGroups.apiVersion}=true`,
];

/** Flags for a kube-scheduler that schedules them itself. */
export const nativeSchedulerArgs: string[] = [
  `--feature-gates=GenericWorkload=true${isBeta ? "" : ",GangScheduling=true"}`,
];
