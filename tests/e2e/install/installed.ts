import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { bundleRelay } from "../../../tools/build.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { findOrBuildClient } from "../../../tools/control_plane/binaries.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { versions } from "../../../tools/control_plane/programs.ts";
import { freePorts } from "../../../tools/control_plane/ports.ts";
import { answersOk, untilReady } from "../../../tools/control_plane/readiness.ts";
import { type ManagedProcess, startProcess } from "../../../cli/process.ts";
import { progress } from "../support/on_cluster.ts";
import { tokenOf } from "../support/service_accounts.ts";

/** The folder of the manifests. */
export const deploy = fileURLToPath(new URL("../../../deploy/", import.meta.url));

/** Every overlay of deploy/overlays. */
export const overlays = [
  "embedded",
  "edge",
  "embedded-admission",
  "edge-admission",
  "embedded-volcano",
] as const;

/** Before Kubernetes 1.36 the API server has MutatingAdmissionPolicy as v1beta1 only. */
const hasOnlyBeta = Number(versions.kubernetes.split(".")[1]) < 36;

/** What kube-apiserver must be told to serve the policies of deploy/admission, as docs/queue.md says. */
export const admissionArgs: string[] = hasOnlyBeta
  ? [
    "--feature-gates=MutatingAdmissionPolicy=true",
    "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
  ]
  : [];

/** What `kubectl apply -k` would send for an overlay, as YAML; changed for older versions as docs/queue.md says. */
export async function manifestsOf(overlay: string): Promise<string> {
  const kustomize = await findOrBuildClient("kustomize", { onProgress: progress });
  const { success, stdout, stderr } = await new Deno.Command(kustomize, {
    args: ["build", join(deploy, "overlays", overlay)],
  }).output();
  if (!success) {
    throw new Error(`Cannot build overlay "${overlay}": ${new TextDecoder().decode(stderr)}`);
  }
  const text = new TextDecoder().decode(stdout);
  return hasOnlyBeta
    ? text.replace(
      /^(apiVersion: admissionregistration.k8s.io\/v1)(\nkind: Mutating)/gm,
      "$1beta1$2",
    )
    : text;
}

/** The variables that the image sets. */
export async function imageVariables(): Promise<Record<string, string>> {
  const text = await Deno.readTextFile(join(deploy, "Containerfile"));
  const words = [...text.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => line!.split(" "));
  return Object.fromEntries(words.map((word) => word.split("=")));
}

/** The arguments of the image's Deno. */
async function entrypoint(): Promise<string[]> {
  const text = await Deno.readTextFile(join(deploy, "Containerfile"));
  const [, list] = /^ENTRYPOINT (\[[^\]]+\])/m.exec(text.replaceAll("\\\n", "")) ?? [];
  const [program, ...args]: string[] = JSON.parse(list ?? "[]");
  if (program !== "/bin/deno") throw new Error(`The image starts "${program}", not Deno`);
  return args;
}

/** The two processes of a Pod of the Deployment. */
export interface InstalledPod {
  readonly relay: ManagedProcess;
  readonly scheduler: ManagedProcess;
  /** Where the scheduler finds the relay. */
  readonly url: string;
  /** Where kubelet finds the relay's `/healthz`. */
  readonly healthUrl: string;
}

/**
 * Runs what the Deployment of the control plane runs in a Pod: the relay as its image starts it, and a stock kube-scheduler
 * with the configuration of the ConfigMap, both as their ServiceAccount. Only addresses and folders differ from a Pod's;
 * `functionsUrl` is where the functions of an edge overlay are.
 */
export async function startInstalledPod(
  controlPlane: ControlPlane,
  { functionsUrl }: { functionsUrl?: string } = {},
): Promise<InstalledPod> {
  const { api, dir } = controlPlane;
  const namespace = "muster-system";
  const deployment = await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/muster`);
  const spec = deployment["spec"].template.spec;
  const account = { namespace, name: spec.serviceAccountName };
  const kubeconfig = await controlPlane.kubeconfigOf(account);
  const ports = freePorts(["relay", "health", "scheduler"]);

  const { path: bundle } = await bundleRelay(join(dir, "image"));
  const state = join(dir, "image", "state");
  await Deno.mkdir(state, { recursive: true });
  const secrets = join(dir, "image", "secrets");
  await controlPlane.mountServiceAccount(account, join(secrets, "kubernetes.io/serviceaccount"));
  await Deno.mkdir(join(secrets, "muster"), { recursive: true });
  for (const { path, audience } of tokensOf(spec.volumes)) {
    await Deno.writeTextFile(
      join(secrets, "muster", path),
      await tokenOf(controlPlane, { audience }),
    );
  }
  const inPod = (text: string) =>
    text.replaceAll("/var/lib/muster", state).replaceAll("/var/run/secrets", secrets)
      .replace("https://muster.example.com", functionsUrl ?? "$&").replace(
        "/muster/relay.js",
        bundle,
      );
  await Deno.writeTextFile(bundle, inPod(await Deno.readTextFile(bundle)));
  const apiServer = new URL(controlPlane.server);
  const [{ env }] = spec.initContainers;
  const relay = startProcess({
    name: "relay",
    command: Deno.execPath(),
    args: (await entrypoint()).map(inPod),
    cwd: dir,
    env: {
      ...await imageVariables(),
      ...Object.fromEntries(
        (env as { name: string; value: string }[]).map(({ name, value }) => [name, inPod(value)]),
      ),
      KUBECONFIG: "",
      KUBERNETES_SERVICE_HOST: apiServer.hostname,
      KUBERNETES_SERVICE_PORT: apiServer.port,
      MUSTER_PORT: String(ports.relay),
      MUSTER_HEALTH_ADDRESS: `127.0.0.1:${ports.health}`,
      DENO_DIR: "/proc/nowhere",
    },
    logFile: controlPlane.logFile("installed-relay"),
  });
  controlPlane.adopt(relay);
  const healthUrl = `http://127.0.0.1:${ports.health}`;
  await relay.orFailure((signal) =>
    untilReady(() => answersOk(`${healthUrl}/readyz`), { what: "the relay", signal })
  );

  const [, ...args]: string[] = spec.containers[0].command;
  const volume = spec.volumes.find(({ configMap }: { configMap?: unknown }) => configMap);
  const configMap = await api.get(
    `/api/v1/namespaces/${namespace}/configmaps/${volume.configMap.name}`,
  );
  const scheduler = startProcess({
    name: "kube-scheduler",
    command: controlPlane.binaries["kube-scheduler"],
    args: [
      ...await Promise.all(
        args.map(async (arg) =>
          arg === "--config=/etc/muster/scheduler_config.yaml"
            ? `--config=${await writeConfiguration(configMap, {
              dir,
              kubeconfig,
              relay: ports.relay,
            })}`
            : arg
        ),
      ),
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${ports.scheduler}`,
    ],
    logFile: controlPlane.logFile("installed-scheduler"),
  });
  controlPlane.adopt(scheduler);
  return { relay, scheduler, url: `http://127.0.0.1:${ports.relay}`, healthUrl };
}

/** The ServiceAccount tokens that volumes project. */
function tokensOf(
  volumes: {
    projected?: { sources: { serviceAccountToken: { path: string; audience: string } }[] };
  }[],
): { path: string; audience: string }[] {
  return volumes.flatMap(({ projected }) => projected?.sources ?? [])
    .map(({ serviceAccountToken }) => serviceAccountToken);
}

async function writeConfiguration(
  configMap: KubernetesObject,
  options: { dir: string; kubeconfig: string; relay: number },
): Promise<string> {
  const configuration = parse(configMap["data"]["scheduler_config.yaml"]);
  configuration.clientConnection.kubeconfig = options.kubeconfig;
  for (const extender of configuration.extenders) {
    extender.urlPrefix = extender.urlPrefix.replace("8080", String(options.relay));
  }
  const path = join(options.dir, "installed_scheduler_config.yaml");
  await Deno.writeTextFile(path, stringify(configuration));
  return path;
}
