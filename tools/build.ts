/**
 * Bundles the functions and the durable objects for the edge (`deno task build`).
 *
 * @module
 */
import { Command } from "commander";
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

/**
 * Bundles the module `entry` into the one file `outfile` for workerd. Packages come from node_modules, so
 * `deno install` must have run; `cloudflare:workers` stays an import, and is the real one there.
 */
export async function bundleWorker(entry: string, outfile: string): Promise<Bundle> {
  // So told, the synchronous form leaves no thread and no child process behind to wait for the next bundle.
  Deno.env.set("ESBUILD_WORKER_THREADS", "0");
  const { buildSync } = await import("esbuild");
  const { metafile } = buildSync({
    entryPoints: [entry],
    outfile,
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
  const content = await Deno.readFile(outfile);
  return {
    path: outfile,
    bytes: content.byteLength,
    gzipBytes: gzipSync(content).byteLength,
    inputs: Object.keys(metafile.inputs),
  };
}

async function main(): Promise<void> {
  const command = new Command("deno task build")
    .description("Bundle the policy functions and the gang store for the edge (workerd)")
    .option("--entry <file>", "module to bundle", "functions/worker.ts")
    .option("--outfile <file>", "file to write", "dist/worker.js")
    .parse(Deno.args, { from: "user" });
  const { entry, outfile } = command.opts<{ entry: string; outfile: string }>();
  const bundle = await bundleWorker(entry, outfile);
  print(`${bundle.path}: ${kilobytes(bundle.bytes)}, ${kilobytes(bundle.gzipBytes)} gzipped`);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (import.meta.main) await main();
