import { assertEquals, assertThrows } from "@std/assert";
import { type Objects, readManifests } from "../../../cli/muster/simulation/manifests.ts";
import { xPodGroup } from "../../../shared/kubernetes/declaring/pod_group.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { at } from "../../support/facts.ts";

function read(text: string): Objects {
  return readManifests([{ name: "f.yaml", text }], { namespace: "default", now: at(0) });
}

/** Gangs by name: minMember, minResources where there are any, and the names of the members; `-` are pods without one. */
function gangsOf({ pods, podGroups }: Objects): Record<string, unknown[]> {
  const members = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = membershipOf(pod)?.name ?? "-";
    members.set(name, [...members.get(name) ?? [], pod]);
  }
  const findPodGroup = (kind: object, _: string, name: string) =>
    kind === xPodGroup
      ? podGroups.find(({ podGroup }) => podGroup.metadata.name === name)?.podGroup
      : undefined;
  return Object.fromEntries(
    [...members].map(([name, pods]) => {
      const names = pods.map(({ metadata }) => metadata.name);
      if (name === "-") return [name, names];
      const { spec, problem } = readGang(pods, { findPodGroup });
      assertEquals(problem, undefined);
      return [name, [spec.minMember, spec.minResources ?? {}, ...names]];
    }),
  );
}

const template = `{ spec: { containers: [{ name: c, resources: { requests: { cpu: 500m } } }] } }`;

/** Manifests by what is special about them, and the gangs that their operators make of them. */
const cases: [title: string, manifest: string, gangs: Record<string, unknown[]>][] = [
  [
    "a Job is its pods that run at once",
    `{ apiVersion: batch/v1, kind: Job, metadata: { name: j }, spec: { parallelism: 3, completions: 2, template: ${template} } }`,
    { "-": ["j-0", "j-1"] },
  ],
  [
    "a TFJob is one gang of all replicas",
    `{ apiVersion: kubeflow.org/v1, kind: TFJob, metadata: { name: tf }, spec: { tfReplicaSpecs: {
      PS: { template: ${template} }, Worker: { replicas: 2, template: ${template} } } } }`,
    { tf: [3, {}, "tf-ps-0", "tf-worker-0", "tf-worker-1"] },
  ],
  [
    "a PyTorchJob may need fewer members, and resources beside them",
    `{ apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: { name: pt }, spec: {
      runPolicy: { schedulingPolicy: { minAvailable: 1, minResources: { cpu: 1 } } },
      pytorchReplicaSpecs: { Master: { template: ${template} }, Worker: { template: ${template} } } } }`,
    { pt: [1, { cpu: "1" }, "pt-master-0", "pt-worker-0"] },
  ],
  [
    "of an MPIJob the launcher counts",
    `{ apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: { name: mpi }, spec: { mpiReplicaSpecs: {
      Launcher: { template: ${template} }, Worker: { replicas: 2, template: ${template} } } } }`,
    { mpi: [3, {}, "mpi-launcher-0", "mpi-worker-0", "mpi-worker-1"] },
  ],
  [
    "a launcher that comes when the workers run counts, and is not there",
    `{ apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: { name: mpi }, spec: {
      launcherCreationPolicy: WaitForWorkersReady, mpiReplicaSpecs: {
      Launcher: { template: ${template} }, Worker: { replicas: 2, template: ${template} } } } }`,
    { mpi: [3, {}, "mpi-worker-0", "mpi-worker-1"] },
  ],
  [
    "a suspended job has no pods",
    `{ apiVersion: kubeflow.org/v1, kind: TFJob, metadata: { name: tf }, spec: { runPolicy: { suspend: true },
      tfReplicaSpecs: { PS: { template: ${template} } } } }`,
    {},
  ],
  [
    "a RayCluster is a gang where its label asks for one; a replica of two hosts counts once",
    `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ray, labels: { ray.io/gang-scheduling-enabled: "true" } },
      spec: { headGroupSpec: { template: ${template} },
        workerGroupSpecs: [{ groupName: w, replicas: 1, numOfHosts: 2, template: ${template} }] } }`,
    { ray: [2, { cpu: "1500m" }, "ray-head", "ray-w-worker-0", "ray-w-worker-1"] },
  ],
  [
    "a RayCluster without the label is none",
    `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ray }, spec: { headGroupSpec: { template: ${template} } } }`,
    { "-": ["ray-head"] },
  ],
  [
    "workers of a RayCluster that says nothing of their number are as few as there may be",
    `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ray }, spec: { headGroupSpec: { template: ${template} },
        workerGroupSpecs: [{ groupName: w, template: ${template} },
          { groupName: x, minReplicas: 2, template: ${template} }] } }`,
    { "-": ["ray-head", "ray-x-worker-0", "ray-x-worker-1"] },
  ],
  [
    "workers of a RayCluster are as many as their bounds allow; KubeRay's PodGroup has the replicas as they are written",
    `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ray, labels: { ray.io/gang-scheduling-enabled: "true" } },
      spec: { headGroupSpec: { template: ${template} }, workerGroupSpecs: [
        { groupName: few, replicas: 1, minReplicas: 2, maxReplicas: 4, template: ${template} },
        { groupName: many, replicas: 3, minReplicas: 0, maxReplicas: 1, template: ${template} }] } }`,
    {
      ray: [
        5,
        { cpu: "2500m" },
        "ray-head",
        "ray-few-worker-0",
        "ray-few-worker-1",
        "ray-many-worker-0",
      ],
    },
  ],
  [
    "a suspended worker group has no pods, and KubeRay counts it all the same",
    `{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: ray, labels: { ray.io/gang-scheduling-enabled: "true" } },
      spec: { headGroupSpec: { template: ${template} }, workerGroupSpecs: [
        { groupName: w, replicas: 2, minReplicas: 2, suspend: true, template: ${template} }] } }`,
    { ray: [3, { cpu: "500m" }, "ray-head"] },
  ],
  [
    "a JobSet is a gang as the labels in its templates say",
    `{ apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: { name: js }, spec: { replicatedJobs: [
      { name: a, template: { spec: { template: {
        metadata: { labels: { pod-group/name: all, pod-group/min-available: "3" } },
        spec: { containers: [{ name: c }] } } } } },
      { name: b, replicas: 2, template: { spec: { template: {
        metadata: { labels: { pod-group/name: all, pod-group/min-available: "3" } },
        spec: { containers: [{ name: c }] } } } } }] } }`,
    { all: [3, {}, "js-a-0-0", "js-b-0-0", "js-b-1-0"] },
  ],
  [
    "of a JobSet whose jobs start in order the first is there",
    `{ apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: { name: js }, spec: {
      startupPolicy: { startupPolicyOrder: InOrder }, replicatedJobs: [
      { name: a, template: { spec: { template: ${template} } } },
      { name: b, template: { spec: { template: ${template} } } }] } }`,
    { "-": ["js-a-0-0"] },
  ],
  [
    "of a JobSet the jobs that depend on others are not there",
    `{ apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: { name: js }, spec: { replicatedJobs: [
      { name: a, dependsOn: [], template: { spec: { template: ${template} } } },
      { name: b, dependsOn: [{ name: a, status: Complete }], template: { spec: { template: ${template} } } },
      { name: c, template: { spec: { template: ${template} } } }] } }`,
    { "-": ["js-a-0-0", "js-c-0-0"] },
  ],
  [
    "of a LeaderWorkerSet whose workers wait for their leader the leaders are there",
    `{ apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: { name: serve }, spec: {
      startupPolicy: LeaderReady, leaderWorkerTemplate: { size: 2, workerTemplate: ${template} } } }`,
    { "serve-0": [2, {}, "serve-0"] },
  ],
  [
    "every replica of a LeaderWorkerSet is a gang",
    `{ apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: { name: serve }, spec: {
      replicas: 2, leaderWorkerTemplate: { size: 2, workerTemplate: ${template} } } }`,
    {
      "serve-0": [2, {}, "serve-0", "serve-0-1"],
      "serve-1": [2, {}, "serve-1", "serve-1-1"],
    },
  ],
];

for (const [title, manifest, gangs] of cases) {
  Deno.test(`simulate: ${title}`, () => assertEquals(gangsOf(read(manifest)), gangs));
}

/** Manifests that no operator takes, and what is said. */
const broken: [manifest: string, says: string][] = [
  [
    "{ apiVersion: kubeflow.org/v1, kind: TFJob, metadata: { name: x }, spec: {} }",
    '"spec.tfReplicaSpecs" is missing',
  ],
  [
    "{ apiVersion: kubeflow.org/v1, kind: TFJob, metadata: { name: x }, spec: { tfReplicaSpecs: { PS: {} } } }",
    '"spec.tfReplicaSpecs.PS.template" is missing',
  ],
  [
    "{ apiVersion: ray.io/v1, kind: RayCluster, metadata: { name: x } }",
    '"spec" is missing',
  ],
  [
    "{ apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: { name: x } }",
    '"spec" is missing',
  ],
  [
    "{ apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: { name: x } }",
    '"spec" is missing',
  ],
  [
    `{ apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: { name: x },
      spec: { replicas: two, leaderWorkerTemplate: { workerTemplate: ${template} } } }`,
    '"spec.replicas" must be a number',
  ],
];

for (const [manifest, says] of broken) {
  Deno.test(`simulate: of ${manifest.split(",")[1]} that can not be used it says ${says}`, () => {
    assertThrows(() => read(manifest), Error, says);
  });
}

Deno.test("simulate: a kind of that name in another API group is not read", () => {
  const { ignored } = read(
    "{ apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: { name: x } }",
  );
  assertEquals([...ignored], [["batch.volcano.sh/v1alpha1 Job", 1]]);
});
