/**
 * The functions and the durable objects as they are deployed to the edge: one file each.
 *
 * @module
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";

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

const stages = ["queue_sort", "prefilter", "permit", "postfilter", "unreserve", "admit", "gangs"];
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
  const buildSync = await bundler();
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

/** What bundles, loaded where it is needed; the synchronous form leaves no thread and no child process behind to wait for the next bundle. */
export async function bundler(): Promise<typeof import("esbuild").buildSync> {
  Deno.env.set("ESBUILD_WORKER_THREADS", "0");
  const { buildSync } = await import("esbuild");
  return buildSync;
}
