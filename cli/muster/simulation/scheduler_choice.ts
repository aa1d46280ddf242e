/**
 * Where kube-scheduler, configured as in deploy/, would put a pod: what is free, and how the nodes are scored.
 *
 * @module
 */
import { copyOf, fitting, type OwnRoom, take } from "../../../shared/core/room/fit.ts";
import { mayRunOn } from "../../../shared/kubernetes/counting/node_match.ts";
import { reservationsOf } from "../../../shared/kubernetes/counting/preference.ts";
import { allocatableOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Node, Pod } from "../../../shared/kubernetes/types.ts";
import type { Cluster } from "../../../shared/cluster/cluster.ts";
import { isActive, type PodRecord } from "../../../shared/cluster/pod_record.ts";

/** What a pod without a request counts as when nodes are scored. */
const small: Record<string, number> = { cpu: 100, memory: 200 * 2 ** 20 };
const balanced = ["cpu", "memory"];

/** Weights of the default plugins that the simulation knows. */
const weights = { taints: 3, affinity: 2, fit: 1, balanced: 1 };

/** What `deploy/base/scheduler_config.yaml` tells NodeResourcesFit. */
export const scoringStrategy = {
  type: "MostAllocated",
  resources: [
    { name: "nvidia.com/gpu", weight: 5 },
    { name: "amd.com/gpu", weight: 5 },
    { name: "cpu", weight: 1 },
    { name: "memory", weight: 1 },
  ],
};

/** A copy of the cluster's room, in which pods are placed and evicted. */
export class SchedulerView {
  readonly #cluster: Cluster;
  readonly #free: OwnRoom;
  /** What pods take as scores count it, by node and resource. */
  readonly #counted = new Map<string, Map<string, number>>();
  readonly #evicted = new Set<PodRecord>();
  readonly #chance: () => number;

  /** `chance` decides between nodes of the same score, as the scheduler does. */
  constructor(cluster: Cluster, chance: () => number) {
    this.#cluster = cluster;
    this.#free = copyOf(cluster.room.free);
    this.#chance = chance;
    for (const record of cluster.pods.values()) {
      if (record.node && isActive(record.pod)) this.#count(record, record.node, 1);
    }
  }

  /** The node that the pod would be bound to, whose room it takes; undefined: there is none. */
  place(record: PodRecord): string | undefined {
    const node = this.#best(record);
    if (node !== undefined) this.#put(record, node, 1);
    return node;
  }

  /** Pods of lower priority, the fewest and the least of them, that leave one node for the pod, which takes its room there. */
  preempt(record: PodRecord): { node: string; victims: PodRecord[] } | undefined {
    const choices = [...this.#cluster.room.nodes.values()].flatMap((node) => {
      const victims = mayRunOn(record.pod, node)
        ? this.#victims(record, node.metadata.name)
        : undefined;
      return victims ? [{ node: node.metadata.name, victims }] : [];
    });
    choices.sort((a, b) =>
      highest(a.victims) - highest(b.victims) || total(a.victims) - total(b.victims) ||
      a.victims.length - b.victims.length || oldest(b.victims) - oldest(a.victims)
    );
    const [choice] = choices;
    if (!choice) return undefined;
    for (const victim of choice.victims) {
      this.#evicted.add(victim);
      this.#put(victim, choice.node, -1);
    }
    this.#put(record, choice.node, 1);
    return choice;
  }

  #best(record: PodRecord): string | undefined {
    const nodes = [...this.#cluster.room.nodes.values()].filter((node) =>
      mayRunOn(record.pod, node) &&
      fitting(record.requests, this.#free.get(node.metadata.name) ?? new Map()) > 0
    );
    const taints = nodes.map((node) => reservationsOf(node, record.pod).length);
    const affinities = nodes.map((node) => preferredWeight(record.pod, node));
    const mostTaints = Math.max(0, ...taints);
    const mostAffinity = Math.max(0, ...affinities);
    let best: { score: number; names: string[] } = { score: -1, names: [] };
    nodes.forEach((node, index) => {
      const score = weights.taints *
          (mostTaints === 0 ? 100 : 100 - Math.floor(taints[index]! * 100 / mostTaints)) +
        weights.affinity *
          (mostAffinity === 0 ? 0 : Math.floor(affinities[index]! * 100 / mostAffinity)) +
        weights.fit * this.#fullness(record, node) + weights.balanced * this.#balance(record, node);
      const { name } = node.metadata;
      if (score > best.score) best = { score, names: [name] };
      else if (score === best.score) best.names.push(name);
    });
    return best.names[Math.floor(this.#chance() * best.names.length)];
  }

  /** NodeResourcesFit (MostAllocated). */
  #fullness(record: PodRecord, node: Node): number {
    const allocatable = allocatableOf(node);
    let sum = 0;
    let weightSum = 0;
    for (const { name, weight } of scoringStrategy.resources) {
      const whole = allocatable.get(name) ?? 0;
      const asked = countedOf(record, name);
      if (whole === 0 || asked === 0) continue;
      const taken = (this.#counted.get(node.metadata.name)?.get(name) ?? 0) + asked;
      sum += weight * Math.floor(Math.min(taken, whole) * 100 / whole);
      weightSum += weight;
    }
    return weightSum === 0 ? 0 : Math.floor(sum / weightSum);
  }

  /** NodeResourcesBalancedAllocation. */
  #balance(record: PodRecord, node: Node): number {
    const allocatable = allocatableOf(node);
    const free = this.#free.get(node.metadata.name)!;
    const resources = balanced.filter((resource) => (allocatable.get(resource) ?? 0) > 0);
    const isBestEffort = balanced.every((resource) => !record.requests.get(resource));
    if (resources.length === 0 || isBestEffort) return 0;
    const before: number[] = [];
    const after: number[] = [];
    for (const resource of resources) {
      const whole = allocatable.get(resource)!;
      const used = whole - (free.get(resource) ?? 0);
      before.push(Math.min(1, used / whole));
      after.push(Math.min(1, (used + (record.requests.get(resource) ?? 0)) / whole));
    }
    return 50 + Math.trunc((50 + evenness(after) - evenness(before)) / 2);
  }

  /** As few pods of lower priority as must leave the node; undefined: it would not help. */
  #victims(record: PodRecord, node: string): PodRecord[] | undefined {
    const lower = [...this.#cluster.pods.values()].filter((other) =>
      other.node === node && isActive(other.pod) && !this.#evicted.has(other) &&
      priorityOf(other) < priorityOf(record)
    ).sort((a, b) => priorityOf(b) - priorityOf(a));
    const room: OwnRoom = new Map([[node, new Map(this.#free.get(node))]]);
    for (const { requests } of lower) take(room, node, { requests, sign: -1 });
    if (lower.length === 0 || fitting(record.requests, room.get(node)!) === 0) return undefined;
    return lower.filter(({ requests }) => {
      take(room, node, { requests });
      if (fitting(record.requests, room.get(node)!) > 0) return false;
      take(room, node, { requests, sign: -1 });
      return true;
    });
  }

  #put(record: PodRecord, node: string, sign: 1 | -1): void {
    take(this.#free, node, { requests: record.requests, sign });
    this.#count(record, node, sign);
  }

  #count(record: PodRecord, node: string, sign: 1 | -1): void {
    const counted = this.#counted.get(node) ?? new Map<string, number>();
    this.#counted.set(node, counted);
    for (const { name } of scoringStrategy.resources) {
      counted.set(name, (counted.get(name) ?? 0) + sign * countedOf(record, name));
    }
  }
}

/** 0 of a device that the pod does not ask for: it is not scored. */
function countedOf({ requests }: PodRecord, resource: string): number {
  return requests.get(resource) || (small[resource] ?? 0);
}

function priorityOf({ pod }: PodRecord): number {
  return pod.spec.priority ?? 0;
}

function highest(victims: readonly PodRecord[]): number {
  return Math.max(...victims.map(priorityOf));
}

/** A pod more is worse, also one of negative priority. */
function total(victims: readonly PodRecord[]): number {
  return victims.reduce((sum, victim) => sum + priorityOf(victim) + 2 ** 31, 0);
}

/** When the oldest of the victims of the highest priority was created. */
function oldest(victims: readonly PodRecord[]): number {
  const first = victims.filter((victim) => priorityOf(victim) === highest(victims));
  return Math.min(
    ...first.map(({ pod }) => Date.parse(pod.metadata.creationTimestamp ?? "") || 0),
  );
}

/** 100 where all resources are used alike, down to 50. */
function evenness(fractions: readonly number[]): number {
  const [first = 0, second = first] = fractions;
  return Math.trunc((1 - Math.abs(first - second) / 2) * 100);
}

function preferredWeight(pod: Pod, node: Node): number {
  const preferred = pod.spec.affinity?.nodeAffinity
    ?.preferredDuringSchedulingIgnoredDuringExecution;
  let sum = 0;
  for (const { weight, preference } of preferred ?? []) {
    const required = { nodeSelectorTerms: [preference] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const bare = { metadata: node.metadata };
    if (mayRunOn({ metadata: pod.metadata, spec: { affinity } }, bare)) sum += weight;
  }
  return sum;
}
