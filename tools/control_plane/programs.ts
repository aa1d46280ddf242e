/** The versions of Kubernetes that `deno task matrix` tries, the newest first; the Go module proxy serves these patches. */
export const kubernetesVersions = ["v1.37.1", "v1.36.3", "v1.35.4", "v1.34.4"] as const;

/** The version that tests run, and whose scheduler the overlays name. */
export const builtKubernetes = "v1.37.1";

/** The versions that are built; a folder of the cache is named after them. `MUSTER_KUBERNETES` chooses another Kubernetes. */
export const versions = {
  kubernetes: Deno.env.get("MUSTER_KUBERNETES") || builtKubernetes,
  etcd: "v3.6.8",
  kwok: "v0.8.0",
} as const;

/** What builds the manifests of deploy/ in tests; kept apart, as it is no part of a control plane. */
export const kustomizeVersion = "v5.8.1";
/** What installs the chart of deploy/ in tests. */
export const helmVersion = "v3.22.0";

/** The programs of a control plane, each by the name of its binary. */
export const programs = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kwok",
] as const;

/** One of the programs of a control plane. */
export type Program = typeof programs[number];

/** What tests need besides, and its version. */
export const clients = {
  kustomize: kustomizeVersion,
  kubectl: versions.kubernetes,
  helm: helmVersion,
} as const;

/** Whatever is built with Go. */
export type Tool = Program | keyof typeof clients;
