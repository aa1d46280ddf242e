import { basename, join, resolve } from "node:path";
import { type ManagedProcess, startProcess } from "../../cli/process.ts";
import { ApiClient } from "./api_client.ts";
import { auditPolicy } from "./audit.ts";
import { findOrBuildBinaries } from "./binaries.ts";
import { ControlPlane } from "./control_plane.ts";
import { lockDirectory } from "../../cli/directory_lock.ts";
import {
  type Tokens,
  writeKubeconfigs,
  writeServiceAccountKey,
  writeTokens,
} from "./identities.ts";
import { applyKustomization, deployBase } from "./manifests.ts";
import { freePorts } from "./ports.ts";
import type { Program } from "./programs.ts";
import { answersOk, readCa, untilReady } from "./readiness.ts";

/** Where a control plane lives, and what it records. */
export interface ControlPlaneOptions {
  /** Holds everything: state, keys, kubeconfigs, logs. What a dead control plane left there is wiped; another's files are refused. */
  dir: string;
  onProgress?: (line: string) => void;
  /** Records writes to pods; {@linkcode ControlPlane.auditEvents} reads them. */
  auditLog?: boolean;
  /** Where binaries are built; see {@linkcode findOrBuildBinaries}. */
  cacheDir?: string;
  /** More flags for kube-apiserver, such as `--feature-gates=GenericWorkload=true`. */
  extraApiServerArgs?: string[];
  /** Pods of Jobs run until somebody writes that they have ended; by default they complete at once. */
  podsOfJobsRunOn?: boolean;
  /** Where the API server reaches etcd; its own address is given. By default there. */
  etcdThrough?: (url: string) => string;
  /** Neither controllers nor kubelets: a node stays as it was created, a bound pod stays as it was bound. */
  withoutControllers?: boolean;
}

/** The controllers that workloads and nodes need; kwok plays the kubelets. */
const controllers = [
  "namespace-controller",
  "node-lifecycle-controller",
  "garbage-collector-controller",
  "pod-garbage-collector-controller",
  "job-controller",
  "replicaset-controller",
  "deployment-controller",
  "statefulset-controller",
  "disruption-controller",
  // What frees the devices of pods that are gone.
  "resourceclaim-controller",
];

/** The stage by which kwok completes the pods of Jobs. */
const completion = "pod-complete.yaml";

/** Locks the folder of a control plane, and tells it from others. */
const marker = ".muster-control-plane";

/** What a control plane leaves in its folder, apart from the marker. */
const contents = ["etcd", "certificates", "logs", "audit.log", "audit_policy.yaml", "store"];

/**
 * Starts etcd, kube-apiserver, kube-controller-manager and kwok, all on 127.0.0.1, and gives the relay its role.
 * Nodes and schedulers are added later.
 *
 * @throws {ToolchainMissing} where the programs are neither installed nor can be built.
 * @throws {Error} where another live control plane uses the folder.
 * @throws {Error} where the folder holds files of somebody else.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const dir = resolve(options.dir);
  const onProgress = options.onProgress ?? (() => {});
  await refuseOthersFolder(dir);
  const lock = await lockDirectory(dir, marker);
  const processes: ManagedProcess[] = [];
  try {
    const binaries = await findOrBuildBinaries({
      ...(options.cacheDir === undefined ? {} : { cacheDir: options.cacheDir }),
      onProgress,
    });
    await wipe(dir);
    const ports = freePorts(["etcd", "etcdPeer", "apiServer", "controllerManager"]);
    const start = (name: Program, args: string[]): ManagedProcess => {
      onProgress(`starting ${name}`);
      const logFile = join(dir, "logs", `${name}.log`);
      // kwok would also read a configuration in the real home folder.
      const child = startProcess({
        name,
        command: binaries[name],
        args,
        logFile,
        env: { HOME: dir },
      });
      processes.push(child);
      return child;
    };

    const etcdUrl = `http://127.0.0.1:${ports.etcd}`;
    const ownEtcdArgs = etcdArgs(dir, { url: etcdUrl, peerPort: ports.etcdPeer });
    const etcd = start("etcd", ownEtcdArgs);
    await etcd.orFailure((signal) =>
      untilReady(() => answersOk(`${etcdUrl}/readyz`), { what: "etcd", signal })
    );

    const { tokens, tokenFile } = await writeTokens(dir);
    const server = `https://127.0.0.1:${ports.apiServer}`;
    const apiArgs = [
      ...await apiServerArgs(dir, {
        port: ports.apiServer,
        etcdUrl: options.etcdThrough?.(etcdUrl) ?? etcdUrl,
        tokenFile,
      }),
      ...(options.auditLog ? await auditArgs(dir) : []),
      ...options.extraApiServerArgs ?? [],
    ];
    const launch = (program: "etcd" | "kube-apiserver") =>
      start(program, program === "etcd" ? ownEtcdArgs : apiArgs);
    const serving = (signal: AbortSignal) => untilServing(server, { dir, tokens, signal });
    const ca = await launch("kube-apiserver").orFailure(serving);
    const kubeconfigs = await writeKubeconfigs(dir, { server, ca, tokens });
    const controlPlane = new ControlPlane({
      dir,
      server,
      ca,
      tokens,
      kubeconfigs,
      binaries,
      processes,
      launch,
      untilServing: serving,
      lock,
    });
    await applyKustomization(controlPlane.api, deployBase);
    if (options.withoutControllers) return controlPlane;

    start("kube-controller-manager", [
      `--kubeconfig=${kubeconfigs.controllerManager}`,
      `--controllers=${controllers.join(",")}`,
      "--use-service-account-credentials=true",
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${ports.controllerManager}`,
      `--cert-dir=${join(dir, "certificates")}`,
      "--kube-api-qps=500",
      "--kube-api-burst=1000",
    ]);
    // That these two are ready shows when addNode's node is.
    start("kwok", [
      `--kubeconfig=${kubeconfigs.kwok}`,
      "--manage-all-nodes",
      "--node-lease-duration-seconds=40",
      ...binaries.kwokStages
        .filter((file) => !(options.podsOfJobsRunOn && basename(file) === completion))
        .map((file) => `--config=${file}`),
    ]);
    return controlPlane;
  } catch (error) {
    for (const child of processes.reverse()) await child.stop();
    lock[Symbol.dispose]();
    throw error;
  }
}

async function refuseOthersFolder(dir: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  const entries = await Array.fromAsync(Deno.readDir(dir));
  if (entries.length === 0 || entries.some(({ name }) => name === marker)) return;
  throw new Error(
    `Cannot use "${dir}": it holds files that are not a control plane's: choose an empty folder`,
  );
}

async function wipe(dir: string): Promise<void> {
  for (const name of contents) {
    await Deno.remove(join(dir, name), { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
  for (const name of ["certificates", "logs"]) await Deno.mkdir(join(dir, name));
}

function etcdArgs(dir: string, options: { url: string; peerPort: number }): string[] {
  const peerUrl = `http://127.0.0.1:${options.peerPort}`;
  return [
    `--data-dir=${join(dir, "etcd")}`,
    `--listen-client-urls=${options.url}`,
    `--advertise-client-urls=${options.url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    // Nothing has to survive a power cut here.
    "--unsafe-no-fsync",
  ];
}

async function apiServerArgs(
  dir: string,
  options: { port: number; etcdUrl: string; tokenFile: string },
): Promise<string[]> {
  const key = await writeServiceAccountKey(dir);
  return [
    `--etcd-servers=${options.etcdUrl}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    // Nothing here reaches it by the Service "kubernetes", for which 1.37 takes no loopback address.
    "--endpoint-reconciler-type=none",
    `--secure-port=${options.port}`,
    // The server makes its certificate itself, signed by a CA whose key it throws away.
    `--cert-dir=${join(dir, "certificates")}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    // RBAC, so that the roles in deploy/ are what is tested.
    "--authorization-mode=RBAC",
    `--token-auth-file=${options.tokenFile}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${key.publicKey}`,
    `--service-account-signing-key-file=${key.privateKey}`,
    // Without a controller for service accounts, every pod would be refused for the lack of one.
    "--disable-admission-plugins=ServiceAccount",
  ];
}

async function auditArgs(dir: string): Promise<string[]> {
  const policyFile = join(dir, "audit_policy.yaml");
  await Deno.writeTextFile(policyFile, auditPolicy);
  return [
    `--audit-policy-file=${policyFile}`,
    `--audit-log-path=${join(dir, "audit.log")}`,
    "--audit-log-format=json",
  ];
}

/** Resolves to the CA's certificate when the API server is ready and has created what every cluster has. */
async function untilServing(
  server: string,
  options: { dir: string; tokens: Tokens; signal: AbortSignal },
): Promise<string> {
  const certificateFile = join(options.dir, "certificates", "apiserver.crt");
  let ca = "";
  await untilReady(async () => {
    ca = await readCa(certificateFile);
    using api = new ApiClient({ server, ca, token: options.tokens.admin });
    await api.text("/readyz");
    for (const name of ["default", "kube-system", "kube-node-lease"]) {
      await api.get(`/api/v1/namespaces/${name}`);
    }
    return true;
  }, { what: "kube-apiserver", signal: options.signal });
  return ca;
}
