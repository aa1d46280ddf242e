import type { Pod, Taint, Toleration } from "./objects.ts";
import { type NodeRoom, requestsOf } from "./node_rooms.ts";

/** Why a node refuses a pod, in the words of kube-scheduler's plugins. */
export interface Refusal {
  reasons: string[];
  /** Whether evicting pods could help. */
  resolvable: boolean;
}

/** Constraints that the sandbox does not evaluate; a pod that has one is an error rather than wrongly placed. */
const UNKNOWN = ["affinity", "topologySpreadConstraints", "resourceClaims", "overhead"];

/** Throws for a pod whose constraints the sandbox cannot honour. */
export function assertKnownConstraints(pod: Pod): void {
  const field = UNKNOWN.find((name) => pod.spec[name] !== undefined);
  if (field === undefined) return;
  throw new TypeError(
    `Cannot schedule pod "${pod.metadata.name}": the sandbox does not know spec.${field}; use the real control plane`,
  );
}

/**
 * The in-tree filters, stopping at the first that refuses: NodeUnschedulable, TaintToleration, NodeAffinity (node
 * selector), NodeResourcesFit. `others` are the pods to count instead of those on the node.
 */
export function whyNot(
  pod: Pod,
  options: { room: NodeRoom; others?: Iterable<Pod> },
): Refusal | undefined {
  const { room, others = room.pods.values() } = options;
  const { spec, metadata } = room.node;
  const tolerations = pod.spec.tolerations ?? [];
  const cordoned: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  if (spec?.unschedulable && !tolerations.some((one) => tolerates(one, cordoned))) {
    return { reasons: ["node(s) were unschedulable"], resolvable: false };
  }
  const taint = spec?.taints?.find((one) =>
    one.effect !== "PreferNoSchedule" &&
    !tolerations.some((toleration) => tolerates(toleration, one))
  );
  if (taint !== undefined) {
    const reason = `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
    return { reasons: [reason], resolvable: false };
  }
  const labels: Record<string, string> = metadata.labels ?? {};
  if (Object.entries(pod.spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value)) {
    const reason = "node(s) didn't match Pod's node affinity/selector";
    return { reasons: [reason], resolvable: false };
  }
  return whyNoRoom(pod, { room, others });
}

function whyNoRoom(pod: Pod, options: { room: NodeRoom; others: Iterable<Pod> }) {
  const { allocatable } = options.room;
  const used = sumOf(options.others);
  const wanted = Object.entries(requestsOf(pod)).filter(([, amount]) => amount > 0);
  const reasons: string[] = [];
  let resolvable = true;
  const slots = allocatable.pods ?? 0;
  if (used.count * 1000 + 1000 > slots) {
    reasons.push("Too many pods");
    if (slots < 1000) resolvable = false;
  }
  for (const [name, amount] of wanted) {
    const capacity = allocatable[name] ?? 0;
    if (amount <= capacity - (used.amounts[name] ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    // More than the whole node: nobody's eviction helps.
    if (amount > capacity) resolvable = false;
  }
  return reasons.length === 0 ? undefined : { reasons, resolvable };
}

/** LeastAllocated over cpu and memory, 0 to 100; the more is free afterwards the better. */
export function scoreOf(pod: Pod, room: NodeRoom): number {
  const used = sumOf([...room.pods.values(), pod]);
  // A pod without requests counts as a small one, or all of them would pile up on one node.
  const defaults: Record<string, number> = { cpu: 100, memory: 200 * 2 ** 20 * 1000 };
  const parts = Object.entries(defaults).map(([name, small]) => {
    const capacity = room.allocatable[name] ?? 0;
    const taken = Math.max(used.amounts[name] ?? 0, small * used.count);
    return capacity <= taken ? 0 : ((capacity - taken) / capacity) * 100;
  });
  return Math.floor(parts.reduce((sum, part) => sum + part, 0) / parts.length);
}

function sumOf(pods: Iterable<Pod>): { count: number; amounts: Record<string, number> } {
  const amounts: Record<string, number> = {};
  let count = 0;
  for (const pod of pods) {
    count++;
    for (const [name, amount] of Object.entries(requestsOf(pod))) {
      amounts[name] = (amounts[name] ?? 0) + amount;
    }
  }
  return { count, amounts };
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key, operator = "Equal", value = "", effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (!key) return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}
