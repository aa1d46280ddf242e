/**
 * As much as Muster reads of nodes, pods and what they are made by, as the API server takes it: what a slip in YAML makes of it
 * is an error that names the field.
 *
 * @module
 */
import { inContract } from "../../../shared/contract/check.ts";
import * as v from "../../../shared/contract/valibot.ts";
import { count, integer, priority, time } from "../../../shared/contract/values.ts";
import { isQuantity } from "../../../shared/kubernetes/counting/quantity.ts";

/** What YAML takes for a number or a yes is none. */
const text = v.string("must be a text in quotes");
const texts = v.record(v.string(), text);
const yes = v.optional(v.boolean());
const anything = v.object({});
const things = v.optional(v.array(anything));
const quantities = v.record(
  v.string(),
  v.custom<string | number>(
    (value) => ["string", "number"].includes(typeof value) && isQuantity(String(value)),
    'must be a quantity, as "2", "500m", "1.5" or "64Gi"',
  ),
);

const howMany = v.optional(count);

const word = v.optional(text);

const requirement = v.object({
  key: text,
  operator: v.picklist(["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]),
  values: v.optional(v.array(text)),
});
const requirements = v.optional(v.array(requirement));
const nodeTerm = v.object({ matchExpressions: requirements, matchFields: requirements });
const selector = v.optional(
  v.object({ matchLabels: v.optional(texts), matchExpressions: requirements }),
);
const podTerm = v.object({
  topologyKey: word,
  labelSelector: selector,
  namespaces: v.optional(v.array(text)),
  namespaceSelector: selector,
});
const podAffinity = v.optional(v.object({
  requiredDuringSchedulingIgnoredDuringExecution: v.optional(v.array(podTerm)),
  preferredDuringSchedulingIgnoredDuringExecution: things,
}));
const affinity = v.object({
  nodeAffinity: v.optional(v.object({
    requiredDuringSchedulingIgnoredDuringExecution: v.optional(
      v.object({ nodeSelectorTerms: v.pipe(v.array(nodeTerm), v.minLength(1)) }),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: v.optional(
      v.array(v.object({ weight: integer, preference: nodeTerm })),
    ),
  })),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const effect = v.picklist(["NoSchedule", "PreferNoSchedule", "NoExecute"]);
const toleration = v.object({
  key: word,
  operator: v.optional(v.picklist(["Exists", "Equal", "Lt", "Gt"])),
  value: word,
  effect: v.optional(v.union([effect, v.literal("")])),
});
const taint = v.object({ key: text, value: word, effect });

const resources = v.optional(
  v.object({ requests: v.optional(quantities), limits: v.optional(quantities) }),
);
const container = v.object({
  ports: v.optional(v.array(v.object({ hostPort: howMany, hostIP: word, protocol: word }))),
  resources,
  restartPolicy: word,
});
const podSpec = v.object({
  nodeName: word,
  schedulerName: word,
  schedulingGroup: v.optional(v.object({ podGroupName: word })),
  priority: v.optional(priority),
  priorityClassName: word,
  preemptionPolicy: v.optional(v.picklist(["PreemptLowerPriority", "Never"])),
  activeDeadlineSeconds: howMany,
  schedulingGates: v.optional(v.array(v.object({ name: text }))),
  containers: v.array(container),
  initContainers: v.optional(v.array(container)),
  resources,
  overhead: v.optional(quantities),
  nodeSelector: v.optional(texts),
  affinity: v.optional(affinity),
  topologySpreadConstraints: v.optional(
    v.array(
      v.object({ whenUnsatisfiable: v.optional(v.picklist(["DoNotSchedule", "ScheduleAnyway"])) }),
    ),
  ),
  tolerations: v.optional(v.array(toleration)),
  volumes: things,
  resourceClaims: things,
  runtimeClassName: word,
});
const containerStatuses = v.optional(
  v.array(v.object({ name: word, allocatedResources: v.optional(quantities), resources })),
);
const podStatus = v.object({
  phase: word,
  startTime: v.optional(time),
  conditions: things,
  containerStatuses,
  initContainerStatuses: containerStatuses,
  allocatedResources: v.optional(quantities),
  resources,
  nominatedNodeName: word,
});

const labelled = { labels: v.optional(texts), annotations: v.optional(texts) };
const owner = v.object({ kind: text, name: text, uid: word, controller: yes });
const metadata = v.object({
  name: word,
  generateName: word,
  namespace: word,
  uid: word,
  ...labelled,
  ownerReferences: v.optional(v.array(owner)),
  creationTimestamp: v.optional(time),
  deletionTimestamp: v.optional(time),
});

/** Any object. */
export const anyManifest = v.object({
  apiVersion: word,
  kind: word,
  metadata: v.optional(metadata),
});
/** A pod. */
export const podManifest = v.object({ spec: podSpec, status: v.optional(podStatus) });
/** A node. */
export const nodeManifest = v.object({
  spec: v.optional(v.object({ unschedulable: yes, taints: v.optional(v.array(taint)) })),
  status: v.optional(v.object({ allocatable: v.optional(quantities) })),
});
/** A PriorityClass. */
export const priorityClassManifest = v.object({ value: priority, globalDefault: yes });
/** A DeviceClass. */
export const deviceClassManifest = v.object({
  spec: v.optional(v.object({ extendedResourceName: word })),
});
/** A PodGroup of any kind, or what it is in: what its spec says in place of a number or a name is told as a gang's problem. */
export const podGroupManifest = v.object({
  spec: v.optional(anything),
  status: v.optional(anything),
});

const template = v.object({ metadata: v.optional(v.object(labelled)), spec: podSpec });
const jobSpec = v.object({
  suspend: yes,
  parallelism: howMany,
  completions: howMany,
  activeDeadlineSeconds: howMany,
  template,
});
/** A Job. */
export const jobManifest = v.object({ spec: jobSpec });
/** A JobSet. */
export const jobSetManifest = v.object({
  spec: v.object({
    suspend: yes,
    startupPolicy: v.optional(v.object({ startupPolicyOrder: word })),
    replicatedJobs: v.array(v.object({
      name: text,
      replicas: howMany,
      dependsOn: things,
      template: v.object({ spec: jobSpec }),
    })),
  }),
});
/** A LeaderWorkerSet. */
export const leaderWorkerSetManifest = v.object({
  spec: v.object({
    replicas: howMany,
    startupPolicy: word,
    leaderWorkerTemplate: v.object({
      size: howMany,
      leaderTemplate: v.optional(template),
      workerTemplate: template,
    }),
  }),
});
/** A RayCluster. */
export const rayClusterManifest = v.object({
  spec: v.object({
    suspend: yes,
    headGroupSpec: v.object({ template }),
    workerGroupSpecs: v.optional(v.array(v.object({
      groupName: text,
      suspend: yes,
      replicas: howMany,
      minReplicas: howMany,
      maxReplicas: howMany,
      numOfHosts: howMany,
      template,
    }))),
  }),
});

/** A job of Kubeflow, whose replicas are in a field of this name. */
export function kubeflowManifest(replicas: string) {
  return v.object({
    spec: v.object({
      runPolicy: v.optional(v.object({
        suspend: yes,
        schedulingPolicy: v.optional(v.object({
          minAvailable: howMany,
          minResources: v.optional(quantities),
          scheduleTimeoutSeconds: howMany,
        })),
      })),
      launcherCreationPolicy: word,
      [replicas]: v.record(v.string(), v.object({ replicas: howMany, template })),
    }),
  });
}

/** Throws an error that names the field of a manifest which the API server would refuse. */
export function checkManifest(manifest: unknown, schema: v.GenericSchema): void {
  inContract(manifest, { schema, fail: (wrong) => new Error(wrong) });
}
