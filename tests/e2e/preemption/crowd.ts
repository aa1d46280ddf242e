import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { victimsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { addNode, type Cluster } from "../support/on_cluster.ts";
import type { PodOptions } from "../support/pods.ts";
import type { Space } from "../support/space.ts";

/** What a pod of a row asks for. */
export interface Asks extends Omit<PodOptions, "spec" | "gang"> {
  readonly class?: "low" | "middle" | "high";
  /** Its node; any of the row's by default. */
  readonly node?: string;
  readonly gang?: string;
  readonly min?: number;
  readonly role?: { readonly name: string; readonly min: number };
  /** Pods with this label `app` keep it from their nodes. */
  readonly avoids?: string;
  readonly hostPort?: number;
  /** Instead of GPUs. */
  readonly cpus?: number;
}

/** The nodes of one row, which no other row's pods may run on. */
export class Crowd {
  readonly #cluster: Cluster;
  readonly #space: Space;
  readonly #nodes: string[] = [];

  constructor({ cluster, space }: { cluster: Cluster; space: Space }) {
    this.#cluster = cluster;
    this.#space = space;
  }

  /** Adds nodes `n1` and so on, each of so many GPUs. */
  async nodes(...gpus: number[]): Promise<void> {
    for (const [index, gpu] of gpus.entries()) {
      const name = this.#nodeName(`n${index + 1}`);
      await addNode(this.#cluster.controlPlane, { name, gpus: gpu });
      this.#nodes.push(name);
    }
  }

  /** Creates a pod; regular ones are of the default scheduler's queue too. */
  create(name: string, asks: Asks = {}): Promise<KubernetesObject> {
    const { class: priorityClassName = "low", node, gang, min = 1, role, ...others } = asks;
    const { avoids, hostPort, cpus, ...rest } = others;
    const annotations = {
      ...rest.annotations,
      ...(role && {
        "muster.scheduling/role": role.name,
        "muster.scheduling/role-min": String(role.min),
      }),
    };
    const values = node === undefined ? this.#nodes : [this.#nodeName(node)];
    return this.#space.create(name, {
      gpus: 1,
      ...rest,
      annotations,
      ...(gang !== undefined && { gang: { name: gang, minAvailable: min } }),
      spec: {
        priorityClassName,
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{
                matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values }],
              }],
            },
          },
          ...(avoids !== undefined && { podAntiAffinity: awayFrom(avoids) }),
        },
        ...(hostPort !== undefined && { containers: [listeningOn(hostPort, rest.gpus ?? 1)] }),
        ...(cpus !== undefined && { containers: [asking({ cpu: String(cpus) })] }),
      },
    });
  }

  /** Creates pods of low priority one after another, and waits until they run: later ones are younger. */
  async run(pods: Record<string, Asks>): Promise<void> {
    for (const [name, asks] of Object.entries(pods)) await this.create(name, asks);
    await this.#space.untilRunning(Object.keys(pods));
  }

  /** Creates the members of a gang at once. */
  async gang(name: string, size: number, asks: Asks = {}): Promise<string[]> {
    const names = Array.from({ length: size }, (_, index) => `${name}-${index}`);
    await Promise.all(
      names.map((member) => this.create(member, { class: "high", min: size, ...asks, gang: name })),
    );
    return names;
  }

  /** The names of those that were deleted or evicted for others, sorted. */
  async victims(): Promise<string[]> {
    const all = victimsOf(await auditOf(this.#cluster.controlPlane));
    const own = all.filter((pod) => pod.startsWith(`${this.#space.name}/`));
    return [...new Set(own.map((pod) => pod.slice(this.#space.name.length + 1)))].sort();
  }

  #nodeName(name: string): string {
    return `${this.#space.name}-${name}`;
  }
}

function awayFrom(app: string): object {
  return {
    requiredDuringSchedulingIgnoredDuringExecution: [{
      labelSelector: { matchLabels: { app } },
      topologyKey: "kubernetes.io/hostname",
    }],
  };
}

function listeningOn(hostPort: number, gpus: number): object {
  const ports = [{ containerPort: hostPort, hostPort }];
  return { ...asking({ "nvidia.com/gpu": String(gpus) }), ports };
}

function asking(limits: Record<string, string>): object {
  return { name: "main", image: "none", resources: { limits } };
}
