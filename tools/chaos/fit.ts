import type { KubernetesObject } from "../control_plane/api_client.ts";
import { membersOf } from "./gangs.ts";
import { isBound, type Tenancy } from "./tenants.ts";

/** What is there when nothing happens any more. */
export interface Rest {
  readonly pods: readonly KubernetesObject[];
  readonly nodes: readonly KubernetesObject[];
}

/** A node and its free GPUs. */
interface Room {
  readonly rack: string;
  free: number;
}

/**
 * Whether what a gang still needs has room on the nodes as they are, found in the simplest way: the largest members first, each
 * where the least is left. True is certain; false may be wrong.
 */
export function hasRoom({ gang, minMember = 1 }: Tenancy, { pods, nodes }: Rest): boolean {
  const names = new Map(membersOf(gang).map(({ name, role }) => [name, role]));
  const own = pods.filter(({ metadata }) => names.has(metadata.name));
  const bound = own.filter(isBound);
  const missing = own.filter((pod) => pod.spec.nodeName === undefined)
    .map(gpusOf).sort((a, b) => a - b).slice(0, Math.max(0, minMember - bound.length));
  if (bound.length + missing.length < minMember) return false;
  const racks = new Set(nodes.map(rackOf));
  const taken = new Set(bound.map(({ spec }) => rackOfNode(nodes, spec.nodeName)));
  const domains = gang.rack !== "required"
    ? [racks]
    : [...taken.size > 0 ? taken : racks].map((rack) => new Set([rack]));
  return domains.some((domain) => packs(missing, roomsIn(domain, { pods, nodes })));
}

function packs(members: readonly number[], rooms: Room[]): boolean {
  return members.toSorted((a, b) => b - a).every((gpus) => {
    const room = rooms.filter(({ free }) => free >= gpus).sort((a, b) => a.free - b.free)[0];
    if (room === undefined) return false;
    room.free -= gpus;
    return true;
  });
}

function roomsIn(domain: ReadonlySet<string>, { pods, nodes }: Rest): Room[] {
  return nodes.filter((node) => domain.has(rackOf(node))).map((node) => {
    const here = pods.filter(({ spec }) => spec.nodeName === node.metadata.name);
    const taken = here.reduce((sum, pod) => sum + gpusOf(pod), 0);
    return {
      rack: rackOf(node),
      free: Number(node["status"].allocatable["nvidia.com/gpu"]) - taken,
    };
  });
}

function rackOf({ metadata }: KubernetesObject): string {
  return metadata.labels?.["rack"] ?? "";
}

function rackOfNode(nodes: readonly KubernetesObject[], name: string): string {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  return node === undefined ? "" : rackOf(node);
}

function gpusOf(pod: KubernetesObject): number {
  return Number(pod["spec"].containers[0].resources.limits["nvidia.com/gpu"]);
}
