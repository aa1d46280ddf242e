/**
 * Bundles the functions and the durable objects for the edge, the relay into one file, and the npm package (`deno task build`).
 *
 * @module
 */
import { Command, Option } from "commander";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { print } from "../cli/print.ts";
import { buildPolicyPackage } from "./build/policy_package.ts";
import { type Bundle, bundler, bundleWorkers, edgeEntries } from "../cli/worker_bundle.ts";
import { installedLicense, licensesIn, sbomOf } from "./sbom.ts";

const root = new URL("..", import.meta.url).pathname;

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
  const buildSync = await bundler();
  const path = join(outdir, "relay.js");
  const { metafile } = buildSync({
    entryPoints: [`${root}cli/start.ts`],
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
    external: [`${root}cli/worker_bundle.ts`, `${root}cli/workerd.ts`],
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
      "Bundle the policy functions and the gang store for the edge (workerd), all in one and each by itself, the relay for Deno, " +
        "and the npm package @muster/policy; and write a bill of materials (CycloneDX)",
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
  print(`${await buildPolicyPackage(outdir)}: the npm package @muster/policy`);
  const lock = JSON.parse(await Deno.readTextFile(`${root}deno.lock`));
  const inputs = bundles.flatMap((bundle) => bundle.inputs);
  const sbom = await sbomOf(lock, { inputs, licenseOf: installedLicense });
  const path = join(outdir, "sbom.cdx.json");
  await Deno.writeTextFile(path, `${JSON.stringify(sbom, undefined, 2)}\n`);
  print(`${path}: licenses of what is in the bundles: ${licensesIn(sbom)}`);
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

if (import.meta.main) await main();
