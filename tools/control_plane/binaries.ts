import { join } from "node:path";
import { type BuildOptions, buildTools, goIsInstalled, moduleFolder } from "./go_build.ts";
import { clients, type Program, programs, versions } from "./programs.ts";
import { reportWhile } from "./progress.ts";

/** Absolute paths: one per program, and the files of stages that tell kwok what its nodes and pods do. */
export type Binaries = Record<Program, string> & { kwokStages: string[] };

/** Neither the programs nor the Go toolchain that would build them are on this machine. */
export class ToolchainMissing extends Error {
  override name = "ToolchainMissing";
}

/** Where builds are kept, and who hears about progress. */
export interface BinariesOptions {
  /** Defaults to `muster/control-plane/<versions>` under `$XDG_CACHE_HOME` or `~/.cache`. */
  cacheDir?: string;
  onProgress: (line: string) => void;
}

/** Bound pods run at once, pods of Jobs complete at once, nodes stay ready. */
const stageFolders = ["pod/fast", "node/fast", "node/heartbeat-with-lease"];

/**
 * Finds the programs in `KUBEBUILDER_ASSETS`, in the cache or on `PATH`, and builds the others into the
 * cache, which takes minutes once.
 *
 * @throws {ToolchainMissing} where a program is missing and Go is not installed.
 */
export async function findOrBuildBinaries(options: BinariesOptions): Promise<Binaries> {
  const cacheDir = options.cacheDir ?? defaultCacheDir();
  const complete = await find(cacheDir);
  if (isComplete(complete)) return complete;
  if (!await goIsInstalled()) throw toolchainMissing(missing(complete));
  await whileLocked({ ...options, cacheDir }, async () => {
    const afterWaiting = await find(cacheDir);
    const names = missing(afterWaiting);
    if (names.length > 0) await buildTools(names, { ...options, cacheDir });
    if (afterWaiting.kwokStages === undefined) await copyStages(cacheDir);
  });

  const built = await find(cacheDir);
  if (isComplete(built)) return built;
  throw new Error(
    `Cannot find ${
      missing(built).join(", ")
    } in "${cacheDir}" after a build: delete that folder and try again`,
  );
}

/**
 * Finds a client in `KUBEBUILDER_ASSETS`, in the cache or on `PATH`, and builds it into the cache, which takes a minute once.
 *
 * @throws {ToolchainMissing} where it is missing and Go is not installed.
 */
export async function findOrBuildClient(
  client: keyof typeof clients,
  options: BinariesOptions,
): Promise<string> {
  return await findOrBuild(client, {
    ...options,
    version: clients[client],
    build: (where) => buildTools([client], where),
  });
}

/**
 * Finds a program in `KUBEBUILDER_ASSETS`, in its own folder of the cache or on `PATH`, and builds it into the cache.
 *
 * @throws {ToolchainMissing} where it is missing and Go is not installed.
 */
export async function findOrBuild(
  program: string,
  options: BinariesOptions & {
    version: string;
    /** Leaves it in `bin` under the cache folder. */
    build: (options: BuildOptions) => Promise<void>;
  },
): Promise<string> {
  const cacheDir = join(cacheFolder(), program, options.version);
  const find = () => findProgram(program, cacheDir);
  const found = await find();
  if (found !== undefined) return found;
  if (!await goIsInstalled()) throw toolchainMissing([program]);
  await whileLocked({ ...options, cacheDir }, async () => {
    if (await find() === undefined) await options.build({ ...options, cacheDir });
  });
  return await find() ?? join(cacheDir, "bin", program);
}

/** Runs `build` while no other process builds in the cache folder. */
async function whileLocked(
  options: BinariesOptions & { cacheDir: string },
  build: () => Promise<void>,
): Promise<void> {
  const { cacheDir, onProgress } = options;
  await Deno.mkdir(cacheDir, { recursive: true });
  using lock = await Deno.open(join(cacheDir, "build.lock"), { create: true, write: true });
  if (!await lock.tryLock(true)) {
    const waiting = `waiting for another build in "${cacheDir}"`;
    onProgress(waiting);
    await reportWhile(lock.lock(true), { describe: () => waiting, onProgress });
  }
  await build();
}

function cacheFolder(): string {
  const cache = Deno.env.get("XDG_CACHE_HOME") || join(Deno.env.get("HOME") ?? ".", ".cache");
  return join(cache, "muster");
}

function defaultCacheDir(): string {
  const version = `${versions.kubernetes}-etcd-${versions.etcd}-kwok-${versions.kwok}`;
  return join(cacheFolder(), "control-plane", version);
}

async function find(cacheDir: string): Promise<Partial<Binaries>> {
  const found: Partial<Binaries> = {};
  for (const program of programs) {
    const path = await findProgram(program, cacheDir);
    if (path !== undefined) found[program] = path;
  }
  const stages = await stageFiles(join(cacheDir, "stages"));
  if (stages.length > 0) found.kwokStages = stages;
  return found;
}

async function findProgram(program: string, cacheDir: string): Promise<string | undefined> {
  const assets = Deno.env.get("KUBEBUILDER_ASSETS");
  const path = (Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== "");
  for (const folder of [...(assets ? [assets] : []), join(cacheDir, "bin"), ...path]) {
    if (await isExecutable(join(folder, program))) return join(folder, program);
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  const info = await Deno.stat(file).catch(() => undefined);
  return info?.isFile === true && ((info.mode ?? 0) & 0o111) !== 0;
}

function missing(found: Partial<Binaries>): Program[] {
  return programs.filter((program) => found[program] === undefined);
}

function isComplete(found: Partial<Binaries>): found is Binaries {
  return missing(found).length === 0 && found.kwokStages !== undefined;
}

/** The stages come from kwok's own module, whose folder is renamed into place only when it is complete. */
async function copyStages(cacheDir: string): Promise<void> {
  const source = await moduleFolder("sigs.k8s.io/kwok", { version: versions.kwok, cacheDir });
  const unfinished = await Deno.makeTempDir({ dir: cacheDir, prefix: "stages-" });
  for (const folder of stageFolders) {
    const from = join(source, "kustomize", "stage", folder);
    for await (const entry of Deno.readDir(from)) {
      if (!entry.name.endsWith(".yaml") || entry.name === "kustomization.yaml") continue;
      const text = await Deno.readTextFile(join(from, entry.name));
      await Deno.writeTextFile(join(unfinished, entry.name), text);
    }
  }
  await Deno.rename(unfinished, join(cacheDir, "stages"));
}

async function stageFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) files.push(join(folder, entry.name));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort();
}

function toolchainMissing(names: string[]): ToolchainMissing {
  const what = names.length > 0 ? names.join(", ") : "the stages of kwok";
  return new ToolchainMissing(
    `Cannot build ${what}: the command "go" is missing: install Go 1.26 or later (https://go.dev/dl), ` +
      `or put the binaries into a folder named by KUBEBUILDER_ASSETS or on PATH`,
  );
}
