import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { Command } from "commander";
import { parse } from "yaml";
import { addStages, namedStages } from "../../../cli/policy/stage_flags.ts";
import { ApiError } from "../../../tools/control_plane/api_client.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { applyManifests, deployBase, pathOf } from "../../../tools/control_plane/manifests.ts";
import { startControlPlane } from "../../../tools/control_plane/start_control_plane.ts";
import { addNode, progress } from "../support/on_cluster.ts";
import { membersOf, Space } from "../support/space.ts";
import { until } from "../support/until.ts";
import { helm, normalised, valuesOf } from "./chart.ts";
import { admissionArgs, manifestsOf, overlays, startInstalledPod } from "./installed.ts";

Deno.test("chart: helm lint finds nothing wrong", async () => {
  assertStringIncludes(await helm("lint"), "0 chart(s) failed");
});

for (const overlay of overlays) {
  Deno.test(`chart: its values make it overlay ${overlay}`, async () => {
    const values = valuesOf[overlay];
    assert(values, `no values of the chart stand for overlay "${overlay}"`);
    const ofOverlay = normalised(await manifestsOf(overlay));
    // The release's namespace is made before it.
    ofOverlay.delete("Namespace /muster-system");
    assertEquals(normalised(await helm("template", { values })), ofOverlay);
  });
}

const refused: [about: string, values: object, why: RegExp][] = [
  ["an unknown value", { replicas: 3 }, /replicas/],
  ["an address that is none", { functions: { url: "muster" } }, /url/],
  ["a variable that is not the relay's", { settings: { PATH: "/" } }, /PATH/],
  ...["MUSTER_PORT", "MUSTER_LEASE", "MUSTER_STORE"].map((name): typeof refused[number] => [
    `variable ${name} of the chart`,
    { settings: { [name]: "1" } },
    new RegExp(`Cannot set variable "${name}"`),
  ]),
  [
    "an address among settings",
    { settings: { MUSTER_FUNCTIONS_URL: "https://b" } },
    /MUSTER_FUNCTIONS_URL/,
  ],
  [
    "names among settings",
    { settings: { MUSTER_SCHEDULER_NAME: "volcano" } },
    /MUSTER_SCHEDULER_NAME/,
  ],
  [
    "a name twice",
    { settings: { MUSTER_PROFILE: "kep" }, extraEnv: [{ name: "MUSTER_PROFILE", value: "sigs" }] },
    /Cannot set variable "MUSTER_PROFILE"/,
  ],
  ["its own name once more", { schedulerNames: ["muster"] }, /schedulerNames/],
  ["a port that is none", { networkPolicy: { apiServerPorts: [0] } }, /apiServerPorts/],
];

for (const [about, values, why] of refused) {
  Deno.test(`chart: ${about} is refused`, async () => {
    const error = await assertRejects(() => helm("template", { values }), Error);
    assert(why.test(error.message), error.message);
  });
}

Deno.test("chart: settings, resources and ports of values.yaml reach the objects", async () => {
  const values = {
    enabled: true,
    settings: {
      MUSTER_PROFILE: "kep",
      MUSTER_RECORD: "/var/lib/muster/recordings/recording",
      DENO_CERT: "/var/run/secrets/own/ca.crt",
      HTTPS_PROXY: "http://proxy:3128",
      NO_PROXY: "10.0.0.0/8",
    },
    extraEnv: [{
      name: "OTEL_EXPORTER_OTLP_HEADERS",
      valueFrom: { secretKeyRef: { name: "otel", key: "headers" } },
    }],
    volumes: [{ name: "recordings", emptyDir: {} }],
    volumeMounts: [{ name: "recordings", mountPath: "/var/lib/muster/recordings" }],
    resources: { relay: { limits: { memory: "2Gi" } } },
    networkPolicy: { apiServerPorts: [16443] },
    nodeSelector: { pool: "system" },
    tolerations: [{ operator: "Exists" }],
    images: { relay: "relay:2", scheduler: "scheduler:2", pullSecrets: [{ name: "pull" }] },
  };
  const objects = normalised(await helm("template", { values }));
  const { spec } = objects.get("Deployment muster-system/muster")!["spec"].template;
  const [[relay], [scheduler]] = [spec.initContainers, spec.containers];
  const settings = Object.entries(values.settings).map(([name, value]) => ({ name, value }));
  for (const variable of [...settings, ...values.extraEnv]) {
    const given = relay.env.find(({ name }: { name: string }) => name === variable.name);
    assertEquals(given, variable);
  }
  assert(spec.volumes.some(({ name }: { name: string }) => name === "recordings"));
  assertEquals(
    relay.volumeMounts.find(({ name }: { name: string }) => name === "recordings"),
    values.volumeMounts[0],
  );
  assertEquals(relay.resources.limits.memory, "2Gi");
  assertEquals([relay.image, scheduler.image], ["relay:2", "scheduler:2"]);
  assertEquals(spec.nodeSelector, { "kubernetes.io/os": "linux", pool: "system" });
  assertEquals([spec.tolerations, spec.imagePullSecrets], [values.tolerations, [{ name: "pull" }]]);
  const policy = objects.get("NetworkPolicy muster-system/muster")!["spec"];
  assertEquals(policy.egress[0].ports, [{ port: 16443 }]);
});

Deno.test("chart: the example of a policy of one's own is one, here and in the overlays", async () => {
  const commented = (await Deno.readTextFile(join(deployBase, "../helm/muster/values.yaml")))
    .match(/(?<=^# )(settings:\n(?:# {2}.*\n)+)/m)![0];
  const { settings } = parse(commented.replaceAll(/^# /gm, ""));
  assertEquals(Object.keys(settings), [
    "MUSTER_STAGE_URL",
    "MUSTER_STAGE_TIMEOUT",
    "MUSTER_STAGE_TOKEN_FILE",
    "MUSTER_STAGE_FAILURE",
  ]);
  const objects = normalised(await helm("template", { values: { settings } }));
  const [relay] = objects.get("Deployment muster-system/muster")!["spec"].template.spec
    .initContainers;
  const given = Object.entries(settings).map(([name, value]) => ({ name, value }));
  for (const variable of given) {
    assert(
      relay.env.some((each: unknown) => JSON.stringify(each) === JSON.stringify(variable)),
      variable.name,
    );
  }
  const command = addStages(new Command("start"));
  const environment = Object.entries(settings) as [string, string][];
  using token = tokenOf("admit");
  for (const [name, value] of environment) {
    Deno.env.set(name, value.replace("/var/run/secrets/muster-stages", token.folder));
  }
  const { own } = await namedStages(command.parse([], { from: "user" }).opts() as never, () => {});
  for (const [name] of environment) Deno.env.delete(name);
  assertEquals(own.map(({ stage, timeoutMs, failureMode }) => [stage, timeoutMs, failureMode]), [
    ["queue-sort", 500, "built-in"],
    ["admit", 500, "wait"],
  ]);
  assertEquals(await Promise.all(own.map(({ token }) => token?.())), [undefined, "secret"]);
  const mounted = relay.volumeMounts.find(({ name }: { name: string }) => name === "stage-tokens");
  assertEquals(mounted.mountPath, "/var/run/secrets/muster-stages");
  for (const path of ["edge/functions.yaml", "embedded/store.yaml"]) {
    const overlay = await Deno.readTextFile(join(deployBase, "../overlays", path));
    const example = parse(
      overlay.match(/^ +# - name(?:.*\n +#)+.*/m)![0].replaceAll(/^ +# /gm, ""),
    );
    assertEquals(example, given, path);
  }
});

/** A Secret of one token, as kubelet mounts it. */
function tokenOf(stage: string): { folder: string } & Disposable {
  const folder = Deno.makeTempDirSync({ prefix: "muster-stages-" });
  Deno.writeTextFileSync(join(folder, stage), "secret\n");
  return { folder, [Symbol.dispose]: () => Deno.removeSync(folder, { recursive: true }) };
}

Deno.test({
  name: "chart: it is installed, places a gang, and leaves nothing behind",
  // The control plane's processes write and end while the test runs.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const controlPlane = await startControlPlane({
      dir: await Deno.makeTempDir({ prefix: "muster-chart-" }),
      extraApiServerArgs: admissionArgs,
      onProgress: progress,
    });
    try {
      await lives(controlPlane);
    } finally {
      await controlPlane.stop();
      await Deno.remove(controlPlane.dir, { recursive: true });
    }
  },
});

async function lives(controlPlane: ControlPlane): Promise<void> {
  const { api, kubeconfig } = controlPlane;
  await addNode(controlPlane, { name: "node-1", gpus: 3 });
  await applyManifests(api, await Deno.readTextFile(join(deployBase, "namespace.yaml")));
  const values = valuesOf["embedded-admission"]!;
  const objects = [...normalised(await helm("template", { values })).values()];
  // The control plane comes with some of them; the chart brings its own.
  for (const object of objects) {
    await api.delete(await pathOf(api, object)).catch((error) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
  const said = await helm("install", { values, kubeconfig });
  assertStringIncludes(said, "gang pods choose it by themselves");
  await startInstalledPod(controlPlane);
  const space = new Space(api, "default");
  await space.createGang("some", {
    size: 3,
    gpus: 1,
    spec: { schedulerName: "default-scheduler" },
  });
  await space.untilBound(membersOf("some", 3));
  await helm("upgrade", {
    values: { settings: { MUSTER_PROFILE: "kep" } },
    kubeconfig,
    flags: ["--reset-then-reuse-values"],
  });
  const profile = async () => {
    const { spec } = await api.get("/apis/apps/v1/namespaces/muster-system/deployments/muster");
    return spec.template.spec.initContainers[0].env
      .find(({ name }: { name: string }) => name === "MUSTER_PROFILE")?.value;
  };
  assertEquals(await profile(), "kep");
  await helm("rollback", { kubeconfig });
  assertEquals(await profile(), undefined);
  await helm("uninstall", { kubeconfig });
  for (const object of objects) {
    // The configuration's name has a hash.
    if (object.metadata.name === "muster-scheduler-config") continue;
    const path = await pathOf(api, object);
    await until(`${path} is gone`, async () => {
      const error = await api.get(path).then(() => undefined, (error) => error);
      return error instanceof ApiError && error.status === 404;
    });
  }
  const left = await api.list("/api/v1/namespaces/muster-system/configmaps");
  assertEquals(left.filter(({ metadata }) => metadata.name !== "kube-root-ca.crt"), []);
}
