import { assertEquals, assertGreater } from "@std/assert";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { listFiles } from "../../tools/list_files.ts";
import { overlays } from "../e2e/install/installed.ts";

const deploy = fileURLToPath(new URL("../../deploy", import.meta.url));

interface Kustomization {
  resources: string[];
  patches?: { path: string }[];
  configMapGenerator?: { files: string[] }[];
}

/** Everything that a kustomization applies, itself included, as paths in deploy/. */
async function reachedFrom(folder: string): Promise<string[]> {
  const path = join(folder, "kustomization.yaml");
  const kustomization: Kustomization = parse(await Deno.readTextFile(join(deploy, path)));
  const { resources, patches = [], configMapGenerator = [] } = kustomization;
  const files = [
    ...resources,
    ...patches.map(({ path }) => path),
    ...configMapGenerator.flatMap(({ files }) => files),
  ].map((file) => join(folder, file));
  const reached = await Promise.all(
    files.map((file) => file.endsWith(".yaml") ? [file] : reachedFrom(file)),
  );
  return [path, ...reached.flat()];
}

Deno.test("every manifest is applied by an overlay or by deploy/crds, which tests apply", async () => {
  const manifests = (await listFiles(deploy, ".yaml"))
    .filter((path) => !path.startsWith("monitoring/"));
  assertGreater(manifests.length, 20);
  const folders = manifests.map((path) => dirname(path))
    .filter((folder) => folder.startsWith("overlays/"));
  assertEquals([...new Set(folders)].sort(), overlays.map((name) => `overlays/${name}`).sort());
  const reached = await Promise.all(["crds", ...new Set(folders)].map(reachedFrom));
  assertEquals(manifests.filter((path) => !reached.flat().includes(path)), []);
});
