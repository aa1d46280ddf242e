import { join } from "node:path";
import { stringify } from "yaml";
import { callApi } from "./api_client.ts";
import type { ApiOptions } from "./api.ts";
import { ApiServer } from "./api_server.ts";
import { startKubelet } from "./kubelet.ts";
import { describePod } from "./describe_pod.ts";
import { kubeTime, type Pod, type PodManifest, type ResourceList } from "./objects.ts";
import { callOverHttp } from "./extender_client.ts";
import { Scheduler } from "./scheduler.ts";
import type { SchedulerOptions } from "./scheduler_options.ts";

/** What a sandbox is started with; the scheduler's settings hold for every scheduler it starts. */
export interface SandboxOptions extends ApiOptions, Omit<SchedulerOptions, "api" | "call"> {
  /** False: bound pods stay Pending. */
  kubelet?: boolean;
}

/** A node to add; quantities as users write them. */
export interface NodeOptions {
  name: string;
  /** Amount of `nvidia.com/gpu`, default 0. */
  gpus?: number;
  /** Default 32. */
  cpu?: string | number;
  /** Default 128Gi. */
  memory?: string;
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect: "NoSchedule" }[];
  /** Further resources, such as `{ "example.com/tpu": 4 }`, or `{ pods: 3 }` for fewer than 110 pod slots. */
  resources?: ResourceList;
}

/** Starts a stand-in API server; a scheduler is started on it with `startScheduler`. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const server = new ApiServer(options);
  const folder = await Deno.makeTempDir({ prefix: "muster-sandbox-" });
  const kubeconfigPath = join(folder, "kubeconfig");
  await Deno.writeTextFile(kubeconfigPath, kubeconfig(server.url));
  return new Sandbox({ server, folder, kubeconfigPath, options });
}

/** A small cluster in this process: API server, kubelets, and a scheduler when one is started. */
export class Sandbox {
  readonly server: ApiServer;
  /** A kubeconfig for the server: plain HTTP, no credentials. */
  readonly kubeconfigPath: string;
  /** The running scheduler. */
  scheduler: Scheduler | undefined;
  #folder: string;
  #options: SandboxOptions;
  #stopKubelet: () => void;

  constructor(
    parts: { server: ApiServer; folder: string; kubeconfigPath: string; options: SandboxOptions },
  ) {
    this.server = parts.server;
    this.kubeconfigPath = parts.kubeconfigPath;
    this.#folder = parts.folder;
    this.#options = parts.options;
    this.#stopKubelet = parts.options.kubelet === false ? () => {} : startKubelet(parts.server);
  }

  /** Base URL of the API server. */
  get url(): string {
    return this.server.url;
  }

  /** Starts a scheduler in place of the one that may be running. */
  async startScheduler(options: { extenderUrl?: string } = {}): Promise<Scheduler> {
    await this.stopScheduler();
    const { extenderUrl } = options;
    this.scheduler = new Scheduler({
      ...this.#options,
      api: this.server.api,
      ...(extenderUrl !== undefined && { call: callOverHttp(extenderUrl) }),
    });
    return this.scheduler;
  }

  /** Stops the scheduler as a kill does; see `Scheduler.stop`. */
  async stopScheduler(): Promise<void> {
    await this.scheduler?.stop();
    this.scheduler = undefined;
  }

  /** Adds a ready node. */
  async addNode(options: NodeOptions): Promise<void> {
    const { name, gpus = 0, cpu = 32, memory = "128Gi", labels, taints, resources } = options;
    const amounts = { cpu, memory, pods: 110, "nvidia.com/gpu": gpus, ...resources };
    const allocatable = Object.fromEntries(
      Object.entries(amounts).map(([key, value]) => [key, String(value)]),
    );
    const ready = {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      lastTransitionTime: kubeTime(Date.now()),
    };
    await callApi(`${this.url}/api/v1/nodes`, {
      method: "POST",
      body: {
        metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
        spec: taints === undefined ? {} : { taints },
        status: { capacity: allocatable, allocatable, conditions: [ready] },
      },
    });
  }

  /** Creates a pod, in namespace `default` unless it names one, and returns it as stored. */
  async createPod(pod: PodManifest): Promise<Pod> {
    const namespace = pod.metadata.namespace ?? "default";
    const url = `${this.url}/api/v1/namespaces/${namespace}/pods`;
    return await callApi(url, { method: "POST", body: pod }) as Pod;
  }

  /** Deletes a pod. */
  async deletePod(name: string, namespace = "default"): Promise<void> {
    const url = `${this.url}/api/v1/namespaces/${namespace}/pods/${name}`;
    await callApi(url, { method: "DELETE" });
  }

  /** All pods as they are now. */
  pods(): Pod[] {
    return this.server.store.list("pods") as Pod[];
  }

  /**
   * Waits until the predicate holds, which is looked at now and after every change of any object. Throws after
   * `timeout` milliseconds (default 5000) and says what was awaited and how the pods are.
   */
  waitFor(
    predicate: (pods: Pod[]) => boolean,
    options: { what: string; timeout?: number },
  ): Promise<Pod[]> {
    const { what, timeout = 5000 } = options;
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        settle();
      };
      const look = () => {
        const pods = this.pods();
        try {
          if (predicate(pods)) finish(() => resolve(pods));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const timer = setTimeout(() => {
        const seen = this.pods().map(describePod).join("\n");
        const error = `Waited ${timeout} ms in vain until ${what}; the pods are:\n${seen}`;
        finish(() => reject(new Error(error)));
      }, timeout);
      const unsubscribe = this.server.store.subscribe(look);
      look();
    });
  }

  /** Stops everything and removes the kubeconfig. */
  async stop(): Promise<void> {
    await this.stopScheduler();
    this.#stopKubelet();
    await this.server.stop();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

function kubeconfig(server: string): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "sandbox", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "sandbox", user: {} }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "sandbox" } }],
    "current-context": "sandbox",
  });
}
