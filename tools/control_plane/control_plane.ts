import { join } from "node:path";
import type { ManagedProcess } from "../../cli/process.ts";
import { ApiClient, type Connection } from "./api_client.ts";
import { type AuditEvent, readAuditLog } from "./audit.ts";
import type { Binaries } from "./binaries.ts";
import { type IdentityName, type Tokens, writeKubeconfig } from "./identities.ts";
import { addNode, type NodeResources } from "./node.ts";

/** What a {@linkcode ControlPlane} is made of, once the API server answers. */
export interface ControlPlaneParts {
  dir: string;
  server: string;
  /** PEM of the CA that signed the API server's certificate. */
  ca: string;
  tokens: Tokens;
  kubeconfigs: Record<IdentityName, string>;
  binaries: Binaries;
  /** In the order in which they were started. */
  processes: ManagedProcess[];
  /** Starts what stores or serves the objects over the same state. */
  launch: (program: "etcd" | "kube-apiserver") => ManagedProcess;
  /** Resolves when the API server is ready. */
  untilServing: (signal: AbortSignal) => Promise<unknown>;
  lock: Disposable;
}

/** Whom a Pod runs as. */
interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** A running control plane. */
export class ControlPlane implements AsyncDisposable {
  /** Absolute. */
  readonly dir: string;
  /** URL of the API server. */
  readonly server: string;
  /** Absolute paths, one file per identity. */
  readonly kubeconfigs: Readonly<Record<IdentityName, string>>;
  readonly binaries: Binaries;
  /** A client with the admin's identity. */
  readonly api: ApiClient;
  readonly #parts: ControlPlaneParts;
  #stopped: Promise<void> | undefined;

  constructor(parts: ControlPlaneParts) {
    this.#parts = parts;
    this.dir = parts.dir;
    this.server = parts.server;
    this.kubeconfigs = parts.kubeconfigs;
    this.binaries = parts.binaries;
    this.api = this.client("admin");
  }

  /** Path of the admin's kubeconfig. */
  get kubeconfig(): string {
    return this.kubeconfigs.admin;
  }

  /** Every process of the control plane, and each scheduler and Muster that was {@linkcode adopt | adopted}. */
  get processes(): readonly ManagedProcess[] {
    return this.#parts.processes;
  }

  /** A client with the given identity, which the caller disposes of. */
  client(identity: IdentityName): ApiClient {
    return new ApiClient(this.connection(identity));
  }

  /** For a client of another kind. */
  connection(identity: IdentityName): Connection {
    const { server, ca, tokens } = this.#parts;
    return { server, ca, token: tokens[identity] };
  }

  /** Writes a kubeconfig for a ServiceAccount, with a token of an hour as its Pods would get; returns its path. */
  async kubeconfigOf(account: ServiceAccount): Promise<string> {
    const { server, ca } = this.#parts;
    const file = join(this.dir, `${account.name}.kubeconfig`);
    await writeKubeconfig(file, { server, ca, token: await this.tokenOf(account) });
    return file;
  }

  /** Writes the files of a ServiceAccount that kubelet mounts in its Pods into a folder, with a token of an hour. */
  async mountServiceAccount(account: ServiceAccount, folder: string): Promise<void> {
    await Deno.mkdir(folder, { recursive: true });
    await Deno.writeTextFile(join(folder, "token"), await this.tokenOf(account));
    await Deno.writeTextFile(join(folder, "ca.crt"), this.#parts.ca);
    await Deno.writeTextFile(join(folder, "namespace"), account.namespace);
  }

  /** A token of an hour of a ServiceAccount, for the API server or another audience. */
  async tokenOf({ namespace, name }: ServiceAccount, audience?: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { status } = await this.api.create(path, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: 3600, ...(audience !== undefined && { audiences: [audience] }) },
    });
    return status.token;
  }

  /** Path of the log of a process with this name. */
  logFile(name: string): string {
    return join(this.dir, "logs", `${name}.log`);
  }

  /** Creates a node; resolves when it is Ready and untainted. */
  async addNode(name: string, resources: NodeResources): Promise<void> {
    await addNode(this.api, { name, resources });
  }

  /** The writes to pods and PodGroups so far, in the order of their answers; empty without the option `auditLog`. */
  async auditEvents(): Promise<AuditEvent[]> {
    return await readAuditLog(join(this.dir, "audit.log"));
  }

  /** Lets {@linkcode stop} also stop this process, before those that it depends on. */
  adopt(process: ManagedProcess): void {
    this.#parts.processes.push(process);
  }

  /** Ends the API server as a crash would, and starts it again over the same state; resolves when it is ready. */
  async crashApiServer(): Promise<void> {
    const apiServer = this.processes.findLast(({ name }) => name === "kube-apiserver");
    await apiServer?.kill();
    await this.launch("kube-apiserver").orFailure((signal) => this.untilServing(signal));
  }

  /** Starts etcd or the API server again over the same state; does not wait until it is ready. */
  launch(program: "etcd" | "kube-apiserver"): ManagedProcess {
    return this.#parts.launch(program);
  }

  /** Resolves when the API server is ready. */
  async untilServing(signal: AbortSignal): Promise<void> {
    await this.#parts.untilServing(signal);
  }

  /** Stops every process, the youngest first, and gives the folder free. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    const { processes, lock } = this.#parts;
    this.api[Symbol.dispose]();
    for (const process of [...processes].reverse()) await process.stop();
    lock[Symbol.dispose]();
  }
}
