import { join } from "node:path";
import { parse, stringify } from "yaml";
import { type ManagedProcess, startProcess } from "../../cli/process.ts";
import type { ControlPlane } from "./control_plane.ts";
import { underHostname } from "./host_name.ts";
import { deployBase } from "./manifests.ts";
import { freePorts } from "./ports.ts";
import { answersOk, readCa, untilReady } from "./readiness.ts";

/** How to start a scheduler. */
export interface SchedulerOptions {
  /** Any URL of the relay: its origin replaces that of the configuration in deploy/. Absent: no extender. */
  extenderUrl?: string;
  /** More entries of the configuration, which are called before the relay's, or after them where they are ignorable. */
  otherExtenders?: { urlPrefix: string; ignorable?: boolean }[];
  /** `scheduler` of the control plane's by default. */
  kubeconfig?: string;
  /** More flags for kube-scheduler, such as `--v=4`. */
  extraArgs?: string[];
  /** Of several that elect a leader by the lease of the configuration in deploy/; absent: it is the only one. */
  electedAs?: LeaderCandidate;
}

/** A scheduler that may lead. */
export interface LeaderCandidate {
  hostname: string;
  /** How long a dead leader's lease lasts; the scheduler's other times follow from it. */
  leaseSeconds: number;
}

/** The fields of a KubeSchedulerConfiguration that change for a local cluster. */
interface SchedulerConfiguration {
  clientConnection: { kubeconfig?: string };
  leaderElection: object;
  profiles: { schedulerName: string }[];
  extenders?: { urlPrefix: string }[];
}

/** A stock kube-scheduler that can be killed and started again, with the same configuration. */
export class Scheduler {
  readonly #controlPlane: ControlPlane;
  readonly #options: SchedulerOptions;
  #process: ManagedProcess | undefined;
  #url = "";
  #certificates = "";

  constructor(controlPlane: ControlPlane, options: SchedulerOptions) {
    this.#controlPlane = controlPlane;
    this.#options = options;
  }

  get #name(): string {
    const { electedAs } = this.#options;
    return electedAs ? `kube-scheduler-${electedAs.hostname}` : "kube-scheduler";
  }

  get #kubeconfig(): string {
    return this.#options.kubeconfig ?? this.#controlPlane.kubeconfigs.scheduler;
  }

  /** The running process. */
  get process(): ManagedProcess {
    if (this.#process === undefined) {
      throw new Error("Cannot use a scheduler before it was started");
    }
    return this.#process;
  }

  /** Resolves when the scheduler is healthy and its caches are synced. */
  async start(): Promise<void> {
    const process = await this.launch();
    await process.orFailure((signal) =>
      untilReady(() => this.isReady(), { what: "kube-scheduler", signal })
    );
  }

  /** Whether the scheduler is healthy and its caches are synced; throws where it does not answer. */
  async isReady(): Promise<boolean> {
    using client = await this.#client();
    return await answersOk(`${this.#url}/readyz`, client);
  }

  /** Its metrics, in Prometheus' text format. */
  async metrics(): Promise<string> {
    using client = await this.#client();
    const { token } = this.#controlPlane.connection("admin");
    const response = await fetch(`${this.#url}/metrics`, {
      client,
      headers: { authorization: `Bearer ${token}` },
    });
    return await response.text();
  }

  /** Starts the scheduler without waiting until it is ready. */
  async launch(): Promise<ManagedProcess> {
    const { dir, binaries } = this.#controlPlane;
    const { port } = freePorts(["port"]);
    // A port may be drawn again.
    const certificates = await Deno.makeTempDir({
      dir: join(dir, "certificates"),
      prefix: `${this.#name}-${port}-`,
    });
    const kubeconfig = this.#kubeconfig;
    const child = startProcess({
      name: this.#name,
      ...underHostname(this.#options.electedAs?.hostname, {
        command: binaries["kube-scheduler"],
        args: [
          `--config=${await this.#writeConfiguration()}`,
          `--authentication-kubeconfig=${kubeconfig}`,
          `--authorization-kubeconfig=${kubeconfig}`,
          "--bind-address=127.0.0.1",
          `--secure-port=${port}`,
          `--cert-dir=${certificates}`,
          ...this.#options.extraArgs ?? [],
        ],
      }),
      logFile: this.#controlPlane.logFile(this.#name),
    });
    this.#process = child;
    this.#controlPlane.adopt(child);
    this.#url = `https://127.0.0.1:${port}`;
    this.#certificates = certificates;
    return child;
  }

  /** Ends the scheduler at once, as a crash would, or by another signal. */
  async kill(signal: Deno.Signal = "SIGKILL"): Promise<void> {
    await this.process.kill(signal);
  }

  /** Trusts the certificate that the running process made for itself. */
  async #client(): Promise<Deno.HttpClient> {
    return Deno.createHttpClient({
      caCerts: [await readCa(join(this.#certificates, "kube-scheduler.crt"))],
    });
  }

  async #writeConfiguration(): Promise<string> {
    const text = await Deno.readTextFile(join(deployBase, "scheduler_config.yaml"));
    const path = join(this.#controlPlane.dir, `${this.#name}_config.yaml`);
    await Deno.writeTextFile(
      path,
      stringify(localConfiguration(parse(text), {
        ...this.#options,
        kubeconfig: this.#kubeconfig,
      })),
    );
    return path;
  }
}

/**
 * Starts a stock kube-scheduler with the configuration of deploy/, which serves the names `default-scheduler` and
 * `muster`. Resolves when it is healthy and its caches are synced.
 */
export async function startScheduler(
  controlPlane: ControlPlane,
  options: SchedulerOptions = {},
): Promise<Scheduler> {
  const scheduler = new Scheduler(controlPlane, options);
  await scheduler.start();
  return scheduler;
}

function localConfiguration(
  shipped: SchedulerConfiguration,
  options: SchedulerOptions & { kubeconfig: string },
): SchedulerConfiguration {
  const { extenders = [], ...rest } = shipped;
  const { extenderUrl, otherExtenders = [], electedAs } = options;
  return {
    ...rest,
    leaderElection: electedAs
      ? { ...shipped.leaderElection, ...electionTimes(electedAs) }
      // One scheduler alone needs no election, and waits for no lease of one that was killed.
      : { leaderElect: false },
    clientConnection: { ...shipped.clientConnection, kubeconfig: options.kubeconfig },
    profiles: shipped.profiles.flatMap((profile) => [
      { ...profile, schedulerName: "default-scheduler" },
      profile,
    ]),
    ...(extenderUrl === undefined ? {} : {
      extenders: [
        ...otherExtenders.map((other) => ({
          ...other,
          filterVerb: "filter",
          nodeCacheCapable: true,
        })),
        ...extenders.map((extender) => ({
          ...extender,
          urlPrefix: new URL(new URL(extender.urlPrefix).pathname, extenderUrl).href,
        })),
      ],
    }),
  };
}

/** In kube-scheduler's own proportions: 15 s, 10 s and 2 s. */
function electionTimes({ leaseSeconds }: LeaderCandidate): object {
  return {
    leaseDuration: `${leaseSeconds}s`,
    renewDeadline: `${leaseSeconds * 2 / 3}s`,
    retryPeriod: `${leaseSeconds / 6}s`,
  };
}
