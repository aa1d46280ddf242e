/**
 * The npm package `@muster/policy`, from packages/policy.
 *
 * @module
 */
import { basename, dirname, join, relative } from "node:path";
import typescript from "typescript";
import { version } from "../../cli/version.ts";
import { bundler } from "../../cli/worker_bundle.ts";
import { childDeno } from "../child_deno.ts";

const root = new URL("../..", import.meta.url).pathname;
const source = join(root, "packages/policy");
const entries = ["policy", "testing"];

/** Writes the package into `<outdir>/policy`, ready for `npm pack`; gives its folder. */
export async function buildPolicyPackage(outdir: string): Promise<string> {
  const dir = join(outdir, "policy");
  await Deno.remove(dir, { recursive: true }).catch(ignoreAbsent);
  await Deno.mkdir(dir, { recursive: true });
  const buildSync = await bundler();
  buildSync({
    entryPoints: entries.map((name) => join(source, `${name}.ts`)),
    outdir: dir,
    bundle: true,
    format: "esm",
    target: "es2023",
    platform: "neutral",
    logLevel: "warning",
  });
  await writeTypes(dir);
  await Deno.writeTextFile(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await Deno.writeTextFile(join(dir, "README.md"), await readme());
  await Deno.copyFile(join(root, "LICENSE"), join(dir, "LICENSE"));
  return dir;
}

const manifest = {
  name: "@muster/policy",
  version,
  description: "A policy of your own for Muster: types, definePolicy, and facts to test it with",
  license: "Apache-2.0",
  type: "module",
  sideEffects: false,
  exports: {
    ".": { types: "./types/packages/policy/policy.d.ts", default: "./policy.js" },
    "./testing": { types: "./types/packages/policy/testing.d.ts", default: "./testing.js" },
  },
  files: ["*.js", "types", "README.md", "LICENSE"],
};

/** Types with their docstrings, and those of the core that they are made of. */
async function writeTypes(dir: string): Promise<void> {
  const program = typescript.createProgram(entries.map((name) => join(source, `${name}.ts`)), {
    declaration: true,
    emitDeclarationOnly: true,
    allowImportingTsExtensions: true,
    exactOptionalPropertyTypes: true,
    strict: true,
    target: typescript.ScriptTarget.ESNext,
    module: typescript.ModuleKind.ESNext,
    moduleResolution: typescript.ModuleResolutionKind.Bundler,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
    types: [],
    rootDir: root,
    outDir: join(dir, "types"),
  });
  const problems = typescript.getPreEmitDiagnostics(program);
  if (problems.length > 0) {
    const host = {
      getCanonicalFileName: (name: string) => name,
      getCurrentDirectory: () => root,
      getNewLine: () => "\n",
    };
    throw new Error(`Cannot write types: ${typescript.formatDiagnostics(problems, host)}`);
  }
  const files = new Map<string, string>();
  program.emit(undefined, (path, text) => files.set(path, text));
  for (const [path, text] of files) {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(path, text.replaceAll(/(from "\.[^"]*)\.ts"/g, '$1.js"'));
  }
}

/** How to use it, and what its docstrings say. */
async function readme(): Promise<string> {
  const sections = await Promise.all(entries.map(async (name) => {
    const path = relative(root, join(source, `${name}.ts`));
    const { success, stdout, stderr } = await childDeno(["doc", path], {
      cwd: root,
      env: { NO_COLOR: "1" },
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decoder = new TextDecoder();
    if (!success) throw new Error(`Cannot read the docs of ${path}: ${decoder.decode(stderr)}`);
    const text = decoder.decode(stdout)
      .replaceAll(/^Defined in .*\n\n?/gm, "")
      .replaceAll(root, "")
      .trim();
    const specifier = name === "policy" ? "@muster/policy" : `@muster/policy/${basename(name)}`;
    return `## ${specifier}\n\n\`\`\`\`text\n${text}\n\`\`\`\`\n`;
  }));
  return `# @muster/policy\n\n${manifest.description}.\n\n${sections.join("\n")}`;
}

function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
