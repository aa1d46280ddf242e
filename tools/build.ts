/**
 * Bundles the functions and the durable objects for the edge (`deno task build`).
 *
 * @module
 */
import { Command, Option } from "commander";
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
const functions = new URL("../functions/", import.meta.url).pathname;

/** What is deployed: the name of each bundle, and the module that it begins with. */
export const edgeEntries: Readonly<Record<string, string>> = {
  worker: `${functions}worker.ts`,
  store: `${functions}store_worker.ts`,
  ...Object.fromEntries(stages.map((stage) => [stage, `${functions}${stage}.ts`])),
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

async function main(): Promise<void> {
  const command = new Command("deno task build")
    .description(
      "Bundle the policy functions and the gang store for the edge (workerd): all in one, and each by itself",
    )
    .addOption(
      new Option("--outdir <folder>", "where to write the bundles").env("MUSTER_OUTDIR")
        .default("dist"),
    )
    .parse(Deno.args, { from: "user" });
  for (
    const bundle of Object.values(await bundleWorkers(edgeEntries, command.opts()["outdir"]))
  ) {
    print(`${bundle.path}: ${kilobytes(bundle.bytes)}, ${kilobytes(bundle.gzipBytes)} gzipped`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (import.meta.main) await main();
