/**
 * As much of the Kubernetes API's objects as Muster reads, in the API's own spelling.
 *
 * @module
 */

/** Metadata of any object. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion?: string;
  /** Counts changes of the spec. */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly apiVersion?: string;
    readonly kind: string;
    readonly name: string;
    readonly uid?: string;
    readonly controller?: boolean;
  }[];
}

/** Quantities by resource name. */
export type ResourceList = Readonly<Record<string, string>>;

/** A port of a container. */
export interface ContainerPort {
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

/** A container, as far as it asks for resources. */
export interface Container {
  readonly name?: string;
  readonly ports?: readonly ContainerPort[];
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList };
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string;
}

/** What a node says of a container. */
export interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly terminated?: { readonly finishedAt?: string } };
  /** What is set aside for it. */
  readonly allocatedResources?: ResourceList;
  /** What it has. */
  readonly resources?: { readonly requests?: ResourceList };
}

/** One term of a node selector. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

/** One requirement of a node selector. */
export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Selects by labels; one that says nothing selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
}

/** One term of an affinity between pods. */
export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

/** Beside which pods a pod is to run, or would rather; or beside which not. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly unknown[];
}

/** A toleration. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** A taint. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** A condition of a pod or a node. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** A pod. */
export interface Pod {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly schedulerName?: string;
    /** Native gangs (KEP-4671). */
    readonly schedulingGroup?: { readonly podGroupName?: string | null };
    readonly priority?: number;
    /** `Never`: it evicts nobody. */
    readonly preemptionPolicy?: string;
    readonly activeDeadlineSeconds?: number;
    readonly schedulingGates?: readonly { readonly name: string }[];
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly resources?: Container["resources"];
    readonly overhead?: ResourceList;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
        };
        readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
          readonly weight: number;
          readonly preference: NodeSelectorTerm;
        }[];
      };
      readonly podAffinity?: PodAffinity;
      readonly podAntiAffinity?: PodAffinity;
    };
    readonly topologySpreadConstraints?: readonly {
      readonly topologyKey: string;
      readonly whenUnsatisfiable?: string;
    }[];
    readonly resourceClaims?: readonly { readonly name: string }[];
    readonly tolerations?: readonly Toleration[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    /** What its node has set aside for it. */
    readonly allocatedResources?: ResourceList;
    /** What it has there. */
    readonly resources?: { readonly requests?: ResourceList };
    /** Where victims are leaving for it. */
    readonly nominatedNodeName?: string;
  };
}

/** A node. */
export interface Node {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] };
  readonly status?: { readonly allocatable?: ResourceList };
}
