/** The source files of the project and what each imports, from `deno info --json`. */
import { childDeno } from "../child_deno.ts";
import { listFiles } from "../list_files.ts";

/** One import statement. */
export interface Import {
  /** As written, for example `zod` or `./gang.ts`. */
  specifier: string;
  /** The file it leads to, relative to the project root; absent for packages and built-ins. */
  path?: string;
  /** `import type` or `export type`: gone at run time. */
  typeOnly: boolean;
}

/** One TypeScript file. */
export interface SourceFile {
  /** Relative to the project root. */
  path: string;
  text: string;
  imports: Import[];
}

/** The source tree, and the modules that are missing or cannot be parsed. */
export interface ModuleGraph {
  /** Sorted by path. */
  files: SourceFile[];
  /** One sentence each. */
  errors: string[];
}

/**
 * Reads every TypeScript file under the project root (an absolute path without a slash at its end).
 *
 * @throws {Error} if `deno info` fails
 */
export async function readModuleGraph(root: string): Promise<ModuleGraph> {
  const paths = await listFiles(root, ".ts");
  const { modules } = await info(root, paths);
  const imports = importsByPath(root, modules);
  const files = await Promise.all(
    paths.map(async (path) => ({
      path,
      text: await Deno.readTextFile(`${root}/${path}`),
      imports: imports.get(`${root}/${path}`) ?? [],
    })),
  );
  return { files, errors: modules.flatMap(({ error }) => error === undefined ? [] : [error]) };
}

/** What is used here of the answer of `deno info --json`. */
interface Info {
  modules: Module[];
}

interface Module {
  local?: string;
  error?: string;
  dependencies?: Dependency[];
}

interface Dependency {
  specifier: string;
  code?: { specifier?: string };
  type?: { specifier?: string };
}

/** `deno info` takes one root, so all files are given to it as imports of one temporary module. */
async function info(root: string, paths: string[]): Promise<Info> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const lines = paths.map((path) =>
      `import ${JSON.stringify(String(fileUrl(`${root}/${path}`)))};`
    );
    await Deno.writeTextFile(entry, lines.join("\n"));
    const { success, stdout, stderr } = await childDeno(["info", "--json", entry], { cwd: root })
      .output();
    if (!success) {
      throw new Error(`Cannot read the module graph: ${new TextDecoder().decode(stderr)}`);
    }
    return JSON.parse(new TextDecoder().decode(stdout));
  } finally {
    await Deno.remove(entry);
  }
}

function importsByPath(root: string, modules: Module[]): Map<string, Import[]> {
  return new Map(
    modules.flatMap(({ local, dependencies = [] }) =>
      local === undefined
        ? []
        : [[local, dependencies.map((dependency) => toImport(root, dependency))]]
    ),
  );
}

function toImport(root: string, { specifier, code, type }: Dependency): Import {
  const target = code?.specifier ?? type?.specifier;
  const prefix = `${fileUrl(root)}/`;
  return {
    specifier,
    typeOnly: code === undefined,
    ...(target?.startsWith(prefix) ? { path: target.slice(prefix.length) } : {}),
  };
}

function fileUrl(path: string): URL {
  return new URL(`file://${path}`);
}
