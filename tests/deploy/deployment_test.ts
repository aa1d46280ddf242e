import { assert, assertEquals } from "@std/assert";
import { parse } from "yaml";
import { builtKubernetes } from "../../tools/control_plane/programs.ts";

interface Container {
  name: string;
  ports: { name: string; containerPort: number }[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: Record<string, unknown>;
  [probe: `${string}Probe`]: { httpGet: { port: string } } | undefined;
}

async function read(path: string) {
  return parse(await Deno.readTextFile(new URL(`../../deploy/${path}`, import.meta.url)));
}

const { spec } = await read("scheduler/deployment.yaml");
const pod = spec.template.spec;
const containers: Container[] = [...pod.initContainers, ...pod.containers];

for (const { name, ports, resources, securityContext, ...container } of containers) {
  Deno.test(`container ${name} is probed, asks for what it needs, and may do nothing to its node`, () => {
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"] as const) {
      const port = (container as Partial<Container>)[probe]?.httpGet.port;
      assert(ports.some(({ name }) => name === port), `${probe} asks port "${port}"`);
    }
    assertEquals(Object.keys(resources.requests), ["cpu", "memory"]);
    assertEquals(Object.keys(resources.limits), ["memory"]);
    assertEquals(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });
}

Deno.test("two Pods run as somebody else than root, and the scheduler's own election chooses between them", async () => {
  assertEquals(spec.replicas, 2);
  assertEquals(pod.securityContext.runAsNonRoot, true);
  const { leaderElection } = await read("base/scheduler_config.yaml");
  assertEquals(leaderElection.leaderElect, true);
  const lease = `${leaderElection.resourceNamespace}/${leaderElection.resourceName}`;
  const [{ env }] = pod.initContainers;
  assertEquals(env.find(({ name }: { name: string }) => name === "MUSTER_LEASE").value, lease);
});

Deno.test("the network policy lets in what probes and metrics need, and nothing else", async () => {
  const policy = await read("scheduler/network_policy.yaml");
  assertEquals(policy.spec.podSelector, spec.selector);
  assertEquals(policy.spec.policyTypes, ["Ingress", "Egress"]);
  assertEquals(
    policy.spec.ingress.flatMap(({ ports }: { ports: { port: number }[] }) =>
      ports.map(({ port }) => port)
    ),
    containers.flatMap(({ ports }) => ports.map(({ containerPort }) => containerPort)),
  );
});

Deno.test("the overlays name the kube-scheduler that the tests run", async () => {
  for (const overlay of ["edge", "embedded"]) {
    const { images } = await read(`overlays/${overlay}/kustomization.yaml`);
    const { newTag } = images.find(({ name }: { name: string }) => name === "kube-scheduler");
    assertEquals(newTag, builtKubernetes, overlay);
  }
});
