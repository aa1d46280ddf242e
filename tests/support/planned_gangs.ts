/**
 * Gangs in a queue, and what the planner says of them.
 *
 * @module
 */
import { Cluster } from "../../shared/cluster/cluster.ts";
import type { Gang } from "../../shared/cluster/gang.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { worldOf } from "../../shared/cluster/planned_world.ts";
import type { MatchPolicy } from "../../shared/core/gang/facts.ts";
import type { Plans } from "../../shared/core/plan/plan.ts";
import { plan } from "../../shared/core/plan/planner.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { marked } from "../../shared/core/words/mark.ts";
import { container, podOf, type PodParts } from "./objects.ts";

/** The resource that nodes have and members ask for. */
export const gpu = "nvidia.com/gpu";
/** Milliseconds since the epoch. */
export const now = 1_000_000;

/** A gang in the queue; each of its members asks for so many GPUs. */
export interface QueuedGang {
  name: string;
  size: number;
  /** As many as there are by default. */
  minMember?: number;
  gpus: number;
  priority?: number;
  /** For so long it has waited for room, in ms. */
  shortForMs?: number;
  /** It was let in, and its members are on their way. */
  isLetIn?: boolean;
  /** What the scheduler says of its first members, and of how many. */
  refused?: { members: number; message: string };
  /** The scheduler has not been seen to try its members. */
  isUntried?: boolean;
  spec?: PodParts;
}

/** A cluster, and the gangs that queue for it. */
export interface Situation {
  /** GPUs by node. */
  nodes: Record<string, number>;
  /** Regular pods. */
  pods?: Pod[];
  /** The first in the queue first. */
  queue: QueuedGang[];
  backfillMs: number;
}

/** The plans of the queue's gangs, and their groups in order. */
export function plansOf(
  { nodes, pods = [], queue, backfillMs }: Situation,
): { plans: Plans; groups: GangGroup[] } {
  const cluster = clusterOf({ nodes, pods });
  const groups = queue.map((gang) => groupOf(gang, cluster));
  return { plans: planIn(groups, { cluster, backfillMs }), groups };
}

/** The plans of these groups, the first in the queue first. */
export function planIn(
  groups: readonly GangGroup[],
  { cluster, backfillMs = 0, matchPolicy = "once-satisfied", evicts = false }: {
    cluster: Cluster;
    backfillMs?: number;
    matchPolicy?: MatchPolicy;
    evicts?: boolean;
  },
): Plans {
  const world = {
    cluster,
    backfill: { reservations: 0, backfillMs },
    settings: { matchPolicy },
    evicts,
    now,
  };
  return plan(worldOf(groups, world), now);
}

/** Nodes with so many GPUs, and pods. */
export function clusterOf({ nodes, pods }: Required<Pick<Situation, "nodes" | "pods">>): Cluster {
  const cluster = new Cluster({
    podChanged: () => {},
    podGroupChanged: () => {},
    roomChanged: () => {},
  });
  for (const [name, gpus] of Object.entries(nodes)) {
    cluster.room.nodeChanged({
      metadata: { name, uid: name },
      status: { allocatable: { [gpu]: String(gpus), pods: "10" } },
    });
  }
  for (const pod of pods) cluster.podChanged(pod);
  return cluster;
}

/** A gang as a group of its own. */
export function groupOf(gang: QueuedGang, cluster: Cluster): GangGroup {
  const { name, shortForMs, isLetIn } = gang;
  const group = new GangGroup(`default/${name}`, Date.now());
  group.gangs.push(createGang(gang, cluster));
  group.attended = {
    ...group.attended,
    ...(shortForMs !== undefined && { shortSince: now - shortForMs }),
    ...(isLetIn && { keepsUntil: now + 1 }),
  };
  return group;
}

/** Creates the members of a gang. */
export function createGang(gang: QueuedGang, cluster: Cluster): Gang {
  const { name, size, minMember = size, gpus, priority = 0, refused, isUntried, spec } = gang;
  for (let index = 0; index < size; index++) {
    const pod = podOf({
      name: `${name}-${index}`,
      labels: {
        "pod-group.scheduling.sigs.k8s.io/name": name,
        "pod-group.scheduling.sigs.k8s.io/min-available": String(minMember),
      },
      priority,
      containers: [container({ [gpu]: String(gpus) })],
      ...spec,
    });
    const isRefused = index < (refused?.members ?? 0);
    const says = isRefused ? refused!.message : `0/1 nodes are available: 1 ${marked("it waits")}.`;
    cluster.podChanged(isUntried ? pod : { ...pod, status: unschedulable(says) });
  }
  return cluster.gangs.get(`default/${name}`)!;
}

/** A regular pod on a node. */
export function on(nodeName: string, gpus: number): Pod {
  return podOf({
    name: `on-${nodeName}`,
    nodeName,
    containers: [container({ [gpu]: String(gpus) })],
  });
}

/** A regular pod for which victims leave a node. */
export function nominatedTo(node: string, options: { gpus: number; priority: number }): Pod {
  const { gpus, priority } = options;
  const pod = podOf({ name: "p", priority, containers: [container({ [gpu]: String(gpus) })] });
  return { ...pod, status: { nominatedNodeName: node } };
}

/** The status of a pod that the scheduler takes on no node. */
function unschedulable(message: string): NonNullable<Pod["status"]> {
  const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
  return { conditions };
}
