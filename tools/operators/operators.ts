/** Operators that create gangs: where each comes from, and how it is started. One table; an operator is a row of it. */

/** Where an operator that runs on this machine finds what is its own. */
export interface LocalAddresses {
  /** Port of its health probes. */
  probes: number;
  /** Port of its webhooks. */
  webhooks: number;
  /** Folder with `tls.crt` and `tls.key`, which are good for 127.0.0.1. */
  certificates: string;
}

/** A certificate that an operator makes for its webhooks, and keeps in a Secret of its namespace. */
export interface OwnCertificate {
  secret: string;
  /** The Service that it is made for. */
  service: string;
  /** The webhook configuration into which it writes its CA. */
  configuration: string;
  /** Where it reads the Secret as a mounted volume. */
  folder: string;
}

/** One operator. */
export interface Operator {
  /** Go module. */
  module: string;
  version: string;
  /** Path of its main package in the module; the module itself by default. */
  package?: string;
  /** Files and folders of the module with its kinds. */
  crds: readonly string[];
  /** File of the module with its webhooks; absent: it has none, or does without. */
  webhooks?: string;
  /** How its webhooks have a certificate, where it takes none from elsewhere. */
  ownCertificate?: OwnCertificate;
  /** Other operators of the table that it works through. */
  through?: readonly OperatorName[];
  /** The namespace where it keeps its own, if it has to be there. */
  namespace?: string;
  /** What makes it create gangs. */
  flags: readonly string[];
  /** What it is told besides, to run as a process of this machine: flags, or a configuration file. */
  local: (addresses: LocalAddresses) => { flags?: string[]; configuration?: object };
  /** URL of its health probe, where no flag changes it. */
  probe?: string;
}

/** Whose kind `scheduling.x-k8s.io` PodGroup is; operators create them. */
export const schedulerPlugins = {
  module: "sigs.k8s.io/scheduler-plugins",
  version: "v0.30.6",
  crds: ["config/crd/bases/scheduling.x-k8s.io_podgroups.yaml"],
} as const;

/** The operators, each in the version that docs/operators.md tells of. */
export const operators: Readonly<Record<OperatorName, Operator>> = {
  "training-operator": {
    module: "github.com/kubeflow/training-operator",
    version: "v1.7.0",
    package: "cmd/training-operator.v1",
    crds: ["manifests/base/crds"],
    flags: ["--gang-scheduler-name=muster"],
    local: ({ probes }) => ({
      flags: ["--metrics-bind-address=0", `--health-probe-bind-address=127.0.0.1:${probes}`],
    }),
  },
  "mpi-operator": {
    module: "github.com/kubeflow/mpi-operator",
    version: "v0.6.0",
    package: "cmd/mpi-operator",
    crds: ["manifests/base/kubeflow.org_mpijobs.yaml"],
    namespace: "mpi-operator",
    flags: ["--gang-scheduling=muster"],
    local: () => ({}),
    probe: "http://127.0.0.1:8080/healthz",
  },
  kuberay: {
    module: "github.com/ray-project/kuberay/ray-operator",
    version: "v1.4.2",
    crds: ["config/crd/bases"],
    flags: ["--batch-scheduler=scheduler-plugins"],
    local: ({ probes }) => ({
      flags: [
        "--enable-leader-election=false",
        "--metrics-addr=0",
        `--health-probe-bind-address=127.0.0.1:${probes}`,
      ],
    }),
  },
  lws: {
    module: "sigs.k8s.io/lws",
    version: "v0.6.0",
    package: "cmd",
    crds: ["config/crd/bases"],
    webhooks: "config/webhook/manifests.yaml",
    flags: [],
    local: (addresses) => ({
      configuration: managerConfiguration("config.lws.x-k8s.io/v1alpha1", addresses),
    }),
  },
  jobset: {
    module: "sigs.k8s.io/jobset",
    version: "v0.10.1",
    crds: ["config/components/crd/bases"],
    webhooks: "config/components/webhook/manifests.yaml",
    flags: [],
    local: (addresses) => ({
      configuration: managerConfiguration("config.jobset.x-k8s.io/v1alpha1", addresses),
    }),
  },
  trainer: {
    module: "github.com/kubeflow/trainer/v2",
    version: "v2.0.0",
    package: "cmd/trainer-controller-manager",
    crds: ["manifests/base/crds"],
    webhooks: "manifests/base/webhook/manifests.yaml",
    namespace: "kubeflow-system",
    ownCertificate: {
      secret: "kubeflow-trainer-webhook-cert",
      service: "kubeflow-trainer-controller-manager",
      configuration: "validator.trainer.kubeflow.org",
      folder: "/tmp/k8s-webhook-server/serving-certs",
    },
    through: ["jobset"],
    flags: [],
    local: ({ probes, webhooks }) => ({
      flags: [
        `--health-probe-bind-address=127.0.0.1:${probes}`,
        `--webhook-server-port=${webhooks}`,
      ],
    }),
  },
  kueue: {
    module: "sigs.k8s.io/kueue",
    version: "v0.10.0",
    package: "cmd/kueue",
    crds: ["config/components/crd/bases"],
    webhooks: "config/components/webhook/manifests.yaml",
    namespace: "kueue-system",
    flags: [],
    local: (addresses) => ({
      // Its server of what is pending has a port that nothing changes.
      flags: ["--feature-gates=VisibilityOnDemand=false"],
      configuration: {
        ...managerConfiguration("config.kueue.x-k8s.io/v1beta1", addresses),
        integrations: { frameworks: ["batch/job", "pod"] },
      },
    }),
  },
};

/** An operator's name, as its binary is called. */
export type OperatorName =
  | "training-operator"
  | "mpi-operator"
  | "kuberay"
  | "lws"
  | "jobset"
  | "trainer"
  | "kueue";

/** All of them. */
export const operatorNames = Object.keys(operators) as OperatorName[];

/** The configuration that operators of Kubernetes' own projects read: without leader election, and with a certificate that is there. */
function managerConfiguration(
  apiVersion: string,
  { probes, webhooks, certificates }: LocalAddresses,
): object {
  return {
    apiVersion,
    kind: "Configuration",
    health: { healthProbeBindAddress: `127.0.0.1:${probes}` },
    metrics: { bindAddress: "0" },
    webhook: { host: "127.0.0.1", port: webhooks, certDir: certificates },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: false },
  };
}
