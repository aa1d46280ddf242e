import { assert, assertEquals } from "@std/assert";
import { parse } from "yaml";
import { builtKubernetes } from "../../tools/control_plane/programs.ts";

interface Probe {
  httpGet: { port: string | number; path: string };
  periodSeconds?: number;
  failureThreshold?: number;
}

interface Container {
  name: string;
  ports: { name: string; containerPort: number }[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: Record<string, unknown>;
  [probe: `${string}Probe`]: Probe | undefined;
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
      const isOpen = containers.some((each) =>
        each.ports.some((own) => own.containerPort === port)
      );
      assert(isOpen || ports.some(({ name }) => name === port), `${probe} asks port "${port}"`);
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

Deno.test("a scheduler whose relay is dead ends, so that the other one leads, and not while the relay is started again", () => {
  const [relay, scheduler] = containers as [Container, Container];
  const { httpGet, periodSeconds, failureThreshold } = scheduler.livenessProbe!;
  const [{ containerPort }] = relay.ports as [Container["ports"][number]];
  assertEquals(httpGet, { path: relay.livenessProbe!.httpGet.path, port: containerPort });
  // Kubernetes' defaults; what hangs has to be found before it is started again.
  const { periodSeconds: period = 10, failureThreshold: threshold = 3 } = relay.livenessProbe!;
  assert(periodSeconds! * failureThreshold! >= 2 * period * threshold);
});

Deno.test("health is served where the probes ask, on IPv4 and IPv6", () => {
  const [{ env, ports: [{ containerPort }] }] = pod.initContainers;
  const { value } = env.find(({ name }: { name: string }) => name === "MUSTER_HEALTH_ADDRESS");
  assertEquals(value, `:${containerPort}`);
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

Deno.test("the network policy lets DNS out, wherever it is and also behind OpenShift's port", async () => {
  const { spec: { egress } } = await read("scheduler/network_policy.yaml");
  const everywhere = egress.filter(({ to }: { to?: unknown }) => to === undefined);
  const ports = everywhere.flatMap(({ ports }: { ports: { port: number; protocol?: string }[] }) =>
    ports.map(({ port, protocol = "TCP" }) => `${port}/${protocol}`)
  );
  for (const port of ["53/UDP", "53/TCP", "5353/UDP", "5353/TCP"]) {
    assert(ports.includes(port), port);
  }
});

Deno.test("the overlays name the kube-scheduler that the tests run", async () => {
  for (const overlay of ["edge", "embedded"]) {
    const { images } = await read(`overlays/${overlay}/kustomization.yaml`);
    const { newTag } = images.find(({ name }: { name: string }) => name === "kube-scheduler");
    assertEquals(newTag, builtKubernetes, overlay);
  }
});
