import { basename, join } from "node:path";
import { startProcess } from "../../cli/process.ts";
import { helmVersion, kustomizeVersion, type Tool, versions } from "./programs.ts";
import { reportWhile } from "./progress.ts";

/** Where to build, and who hears about progress. */
export interface BuildOptions {
  cacheDir: string;
  onProgress: (line: string) => void;
}

/** A module without code of its own, which builds programs of others in the versions that it requires. */
export interface GoModule {
  name: string;
  /** The package of each program that this module builds. */
  packages: Partial<Record<string, string>>;
  requirements: Record<string, string>;
}

/** kwok needs other versions of the same dependencies, so it is a module of its own. */
const modules: GoModule[] = [
  {
    name: "kubernetes",
    packages: {
      "etcd": "go.etcd.io/etcd/server/v3",
      "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
      "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
      "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    },
    requirements: {
      "k8s.io/kubernetes": versions.kubernetes,
      "go.etcd.io/etcd/server/v3": versions.etcd,
    },
  },
  {
    name: "kwok",
    packages: { kwok: "sigs.k8s.io/kwok/cmd/kwok" },
    requirements: { "sigs.k8s.io/kwok": versions.kwok },
  },
  {
    name: "kubectl",
    packages: { kubectl: "k8s.io/kubernetes/cmd/kubectl" },
    requirements: { "k8s.io/kubernetes": versions.kubernetes },
  },
  {
    name: "kustomize",
    packages: { kustomize: "sigs.k8s.io/kustomize/kustomize/v5" },
    requirements: { "sigs.k8s.io/kustomize/kustomize/v5": kustomizeVersion },
  },
  {
    name: "helm",
    packages: { helm: "helm.sh/helm/v3/cmd/helm" },
    requirements: { "helm.sh/helm/v3": helmVersion },
  },
];

/** Whether the command `go` runs. */
export async function goIsInstalled(): Promise<boolean> {
  try {
    return (await new Deno.Command("go", { args: ["version"], stdout: "null", stderr: "null" })
      .output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Builds programs into `bin` under the cache folder. */
export async function buildTools(names: Tool[], options: BuildOptions): Promise<void> {
  for (const module of modules) {
    const wanted = names.filter((name) => module.packages[name] !== undefined);
    if (wanted.length > 0) await buildPrograms(module, { ...options, wanted });
  }
}

/**
 * Builds programs of one module into `bin` under the cache folder. Each is renamed into place only when it is
 * complete, so a build that was cut off is never taken for a finished one.
 */
export async function buildPrograms(
  module: GoModule,
  options: BuildOptions & { wanted: string[] },
): Promise<void> {
  const { cacheDir, wanted } = options;
  const bin = join(cacheDir, "bin");
  await Deno.mkdir(bin, { recursive: true });
  const folder = await writeModule(module, cacheDir);
  const unfinished = join(folder, "unfinished");
  for (const leftover of [unfinished, join(folder, "build.log")]) {
    await Deno.remove(leftover, { recursive: true }).catch(() => {});
  }
  await Deno.mkdir(unfinished);
  await build(folder, { ...options, module });
  for (const name of wanted) {
    await Deno.rename(join(unfinished, binaryName(module, name)), join(bin, name));
  }
}

/** The folder of a module's source, downloaded where the machine does not have it. */
export async function moduleFolder(
  path: string,
  options: { version: string; cacheDir: string },
): Promise<string> {
  return (await download(`${path}@${options.version}`, options.cacheDir)).Dir;
}

async function writeModule(module: GoModule, cacheDir: string): Promise<string> {
  const folder = join(cacheDir, "modules", module.name);
  await Deno.mkdir(folder, { recursive: true });
  const lines = [
    `module muster/control-plane/${module.name}`,
    "go 1.26.0",
    ...Object.values(module.packages).map((path) => `tool ${path}`),
    ...Object.entries(module.requirements).map(([path, version]) => `require ${path} ${version}`),
    ...("k8s.io/kubernetes" in module.requirements ? await stagingReplacements(cacheDir) : []),
  ];
  await Deno.writeTextFile(join(folder, "go.mod"), lines.join("\n") + "\n");
  return folder;
}

/** Kubernetes replaces its staging modules by folders that a module download lacks; these are the published ones. */
async function stagingReplacements(cacheDir: string): Promise<string[]> {
  const { GoMod } = await download(`k8s.io/kubernetes@${versions.kubernetes}`, cacheDir);
  const text = await Deno.readTextFile(GoMod);
  const published = versions.kubernetes.replace(/^v1\./, "v0.");
  return [...text.matchAll(/^\s*(\S+) => \.\/staging\//gm)]
    .map(([, path]) => `replace ${path} => ${path} ${published}`);
}

async function download(module: string, cwd: string): Promise<{ Dir: string; GoMod: string }> {
  const output = await new Deno.Command("go", {
    args: ["mod", "download", "-json", module],
    cwd,
    env: { GOWORK: "off", GOFLAGS: "" },
  }).output();
  if (output.success) return JSON.parse(new TextDecoder().decode(output.stdout));
  const reason = new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr);
  throw new Error(`Cannot download the Go module "${module}": ${reason.trim()}`);
}

async function build(
  folder: string,
  options: BuildOptions & { module: GoModule; wanted: string[] },
): Promise<void> {
  const { module, wanted, onProgress } = options;
  const what = wanted.join(", ");
  onProgress(`building ${what} (minutes the first time)`);
  // At the lowest priority, so that the machine stays usable while it builds.
  const go = startProcess({
    name: "go build",
    command: "nice",
    args: [
      "go",
      "build",
      "-v",
      "-mod=mod",
      "-buildvcs=false",
      // The compilers and linkers die with go, as go dies with this process.
      "-toolexec=setpriv --pdeathsig KILL --",
      "-ldflags",
      `-s -w -X k8s.io/component-base/version.gitVersion=${versions.kubernetes}`,
      "-o",
      join(folder, "unfinished") + "/",
      ...wanted.map((name) => module.packages[name] ?? ""),
    ],
    cwd: folder,
    // What a killed build leaves behind is removed by the next one.
    env: { GOWORK: "off", GOFLAGS: "", GOTMPDIR: join(folder, "unfinished") },
    logFile: join(folder, "build.log"),
  });
  const status = await reportWhile(go.exited, {
    describe: async () => `building ${what}: ${await go.logTail(1) || "linking"}`,
    onProgress,
  });
  if (!status.success) {
    throw new Error(`Cannot build ${what}: "go build" failed:\n${await go.logTail()}`);
  }
  onProgress(`built ${what}`);
}

/** Go names a binary after the last element of its package, without a version: etcd's is `server`. */
function binaryName(module: GoModule, program: string): string {
  return basename((module.packages[program] ?? program).replace(/\/v\d+$/, ""));
}
