/**
 * Bundles the functions and the durable objects for the edge, and the relay into one file (`deno task build`).
 *
 * @module
 */
import { Command, Option } from "commander";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { print } from "./print.ts";

/** A bundle that was written. */
export interface Bundle {
  /** The file; its source map is beside it, `.map` appended. */
  path: string;
  /** Sizes as shipped and as sent. */
  bytes: number;
  gzipBytes: number;
  /** The modules in it, as paths from the working folder. */
  inputs: string[];
}

const stages = ["queue_sort", "prefilter", "permit", "postfilter", "unreserve", "gangs"];
const root = new URL("..", import.meta.url).pathname;
const functions = `${root}functions/`;

/** What is deployed: the name of each bundle, and the module that it begins with. */
export const edgeEntries: Readonly<Record<string, string>> = {
  worker: `${functions}worker.ts`,
  store: `${functions}store_worker.ts`,
  ...Object.fromEntries(stages.map((stage) => [stage, `${functions}${stage}.ts`])),
  page: `${root}page/page.ts`,
};

/**
 * Bundles each module of `entries` into one file `<outdir>/<name>.js` for workerd. Packages come from node_modules, so
 * `deno install` must have run; `cloudflare:workers` stays an import, and is the real one there.
 */
export async function bundleWorkers<Name extends string>(
  entries: Readonly<Record<Name, string>>,
  outdir: string,
): Promise<Record<Name, Bundle>> {
  // So told, the synchronous form leaves no thread and no child process behind to wait for the next bundle.
  Deno.env.set("ESBUILD_WORKER_THREADS", "0");
  const { buildSync } = await import("esbuild");
  const { metafile } = buildSync({
    entryPoints: entries,
    outdir,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    minify: true,
    // A method is called over RPC by its name, and errors are told apart by theirs.
    keepNames: true,
    sourcemap: "linked",
    metafile: true,
    logLevel: "warning",
  });
  const inputs = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint);
  const names = Object.keys(entries) as Name[];
  const bundles = await Promise.all(names.map(async (name) => {
    const path = join(outdir, `${name}.js`);
    const content = await Deno.readFile(path);
    return [name, {
      path,
      bytes: content.byteLength,
      gzipBytes: gzipSync(content).byteLength,
      inputs: inputs.filter(({ entryPoint }) => Deno.realPathSync(entryPoint!) === entries[name])
        .flatMap((output) => Object.keys(output.inputs)),
    }];
  }));
  return Object.fromEntries(bundles);
}

/** Deno knows the modules of Node by their full names only. */
const nodeModules = Object.fromEntries(
  builtinModules.filter((name) => /^[a-z0-9]\w*$/.test(name)).map((name) => [name, `node:${name}`]),
);

/** Packages from before modules call it. */
const banner = 'import { createRequire } from "node:module";' +
  "const require = createRequire(import.meta.url);";

/**
 * Bundles `deno task start`, the relay with the functions and the embedded store, into the one file `<outdir>/relay.js`, which
 * needs nothing but Deno. Packages come from node_modules, so `deno install` must have run.
 */
export async function bundleRelay(outdir: string): Promise<Bundle> {
  // So told, the synchronous form leaves no thread and no child process behind to wait for the next bundle.
  Deno.env.set("ESBUILD_WORKER_THREADS", "0");
  const { buildSync } = await import("esbuild");
  const path = join(outdir, "relay.js");
  const { metafile } = buildSync({
    entryPoints: [`${root}tools/start.ts`],
    outfile: path,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "node",
    // As in import_map.json.
    alias: {
      ...nodeModules,
      "cloudflare:workers": `${root}shared/store/embedded/workers.ts`,
    },
    // What `--runtime workerd` loads when it is asked for, which the image is not: programs that no bundle can hold.
    external: [`${root}tools/build.ts`, `${root}tools/workerd.ts`],
    // Modules that are commands too are none in here.
    define: { "import.meta.main": "false" },
    banner: { js: banner },
    minify: true,
    // Errors are told apart by their names.
    keepNames: true,
    sourcemap: "linked",
    metafile: true,
    logLevel: "warning",
  });
  const content = await Deno.readFile(path);
  return {
    path,
    bytes: content.byteLength,
    gzipBytes: gzipSync(content).byteLength,
    inputs: Object.keys(metafile.inputs),
  };
}

async function main(): Promise<void> {
  const command = new Command("deno task build")
    .description(
      "Bundle the policy functions and the gang store for the edge (workerd), all in one and each by itself, and the relay for Deno",
    )
    .addOption(
      new Option("--outdir <folder>", "where to write the bundles").env("MUSTER_OUTDIR")
        .default("dist"),
    )
    .parse(Deno.args, { from: "user" });
  const outdir: string = command.opts()["outdir"];
  const bundles = [
    ...Object.values(await bundleWorkers(edgeEntries, outdir)),
    await bundleRelay(outdir),
  ];
  for (const bundle of bundles) {
    print(`${bundle.path}: ${kilobytes(bundle.bytes)}, ${kilobytes(bundle.gzipBytes)} gzipped`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (import.meta.main) await main();
