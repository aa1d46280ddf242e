import { basename, join } from "node:path";
import { type BinariesOptions, findOrBuild } from "../control_plane/binaries.ts";
import { buildPrograms, moduleFolder } from "../control_plane/go_build.ts";
import type { Operator } from "./operators.ts";

/**
 * The path of an operator's binary, from the cache or built into it, which takes minutes once.
 *
 * @throws {ToolchainMissing} where it is missing and Go is not installed.
 */
export function findOrBuildOperator(
  name: string,
  options: BinariesOptions & { operator: Operator },
): Promise<string> {
  const { operator, ...rest } = options;
  const module = {
    name,
    packages: { [name]: join(operator.module, operator.package ?? "") },
    requirements: { [operator.module]: operator.version },
  };
  return findOrBuild(name, {
    ...rest,
    version: operator.version,
    build: (where) => buildPrograms(module, { ...where, wanted: [name] }),
  });
}

/** The texts of a module's YAML files; a folder stands for all that it holds, without what only kustomize reads. */
export async function manifestsOf(
  source: { module: string; version: string },
  paths: readonly string[],
): Promise<string[]> {
  const folder = await moduleFolder(source.module, {
    version: source.version,
    cacheDir: Deno.cwd(),
  });
  const texts: string[] = [];
  for (const path of paths) {
    for (const file of await yamlFiles(join(folder, path))) {
      texts.push(await Deno.readTextFile(file));
    }
  }
  return texts;
}

async function yamlFiles(path: string): Promise<string[]> {
  if (path.endsWith(".yaml")) return [path];
  const names = (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
  return names.filter((name) => name.endsWith(".yaml") && !isForKustomize(name))
    .map((name) => join(path, name));
}

function isForKustomize(name: string): boolean {
  return basename(name).startsWith("kustomiz");
}
