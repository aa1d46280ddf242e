import { assertEquals, assertGreater } from "@std/assert";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { dialects } from "../../shared/kubernetes/declaring/dialect.ts";
import { listFiles } from "../../tools/list_files.ts";
import { overlays } from "../e2e/install/installed.ts";

const deploy = fileURLToPath(new URL("../../deploy", import.meta.url));

interface Kustomization {
  resources?: string[];
  components?: string[];
  patches?: { path?: string }[];
  configMapGenerator?: { files: string[] }[];
}

/** Everything that a kustomization applies, itself included, as paths in deploy/. */
async function reachedFrom(folder: string): Promise<string[]> {
  const path = join(folder, "kustomization.yaml");
  const kustomization: Kustomization = parse(await Deno.readTextFile(join(deploy, path)));
  const { resources = [], components = [], patches = [], configMapGenerator = [] } = kustomization;
  const files = [
    ...resources,
    ...components,
    ...patches.flatMap(({ path }) => path ?? []),
    ...configMapGenerator.flatMap(({ files }) => files),
  ].map((file) => join(folder, file));
  const reached = await Promise.all(
    files.map((file) => file.endsWith(".yaml") ? [file] : reachedFrom(file)),
  );
  return [path, ...reached.flat()];
}

Deno.test("every manifest is applied by an overlay or by deploy/crds, which tests apply", async () => {
  const manifests = (await listFiles(deploy, ".yaml"))
    .filter((path) => !/^(monitoring|helm)\//.test(path));
  assertGreater(manifests.length, 20);
  const folders = manifests.map((path) => dirname(path))
    .filter((folder) => folder.startsWith("overlays/"));
  assertEquals([...new Set(folders)].sort(), overlays.map((name) => `overlays/${name}`).sort());
  const reached = await Promise.all(["crds", ...new Set(folders)].map(reachedFrom));
  assertEquals(manifests.filter((path) => !reached.flat().includes(path)), []);
});

/** An object of a file of deploy/. */
async function manifest(path: string) {
  return parse((await Deno.readTextFile(join(deploy, path))).split("\n---\n")[0]!);
}

/** The texts in quotes of an expression. */
function quotedIn(expression: string): string[] {
  return [...expression.matchAll(/'([^']+)'/g)].map(([, text]) => text!);
}

Deno.test("component names: scheduler, relay and admission answer to the same names", async () => {
  const folder = "components/names";
  const configuration = await manifest(`${folder}/scheduler_config.yaml`);
  const names = configuration.profiles.map(({ schedulerName }: { schedulerName: string }) =>
    schedulerName
  );
  const { spec } = await manifest(`${folder}/relay.yaml`);
  assertEquals(spec.template.spec.initContainers[0].env[0].value, names.join(","));
  const { patches: [, { patch }] } = await manifest(`${folder}/kustomization.yaml`);
  assertEquals(quotedIn(parse(patch)[1].value), ["default-scheduler", ...names]);
  const base = await manifest("base/scheduler_config.yaml");
  const [{ pluginConfig }] = base.profiles;
  const profiles = names.map((schedulerName: string) => ({ schedulerName, pluginConfig }));
  assertEquals(configuration, { ...base, profiles });
});

/** What admission finds a gang's pods by; undefined: they name the scheduler themselves. */
const admitted: Record<string, string | undefined> = {
  koordinator: "gang.scheduling.koordinator.sh/name",
  native: "schedulingGroup",
  "sigs-crd": "pod-group.scheduling.sigs.k8s.io",
  sigs: "pod-group.scheduling.sigs.k8s.io/name",
  kep: "pod-group/name",
  "scheduler-plugins": "scheduling.x-k8s.io/pod-group",
  "kube-batch": "scheduling.k8s.io/group-name",
  volcano: "scheduling.volcano.sh/group-name",
  kai: undefined,
  yunikorn: "yunikorn.apache.org/task-group-name",
  "leader-worker-set": "leaderworkerset.sigs.k8s.io/name",
};

Deno.test("admission knows the pods of every dialect", async () => {
  assertEquals(Object.keys(admitted), dialects.map(({ name }) => name));
  const keys = Object.values(admitted).filter((key) => key !== undefined);
  for (const file of ["gate", "scheduler_name"]) {
    const { spec } = await manifest(`admission/${file}.yaml`);
    const { expression } = spec.matchConditions.at(-1);
    const found = [...quotedIn(expression), ...expression.match(/schedulingGroup/) ?? []];
    assertEquals(found.sort(), keys.toSorted(), file);
  }
});
