import type { Refusal } from "./node_room.ts";

/** kube-scheduler's sentence: `0/2 nodes are available: 2 Insufficient nvidia.com/gpu.` */
export function fitMessage(nodes: number, refusals: ReadonlyMap<string, Refusal>): string {
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const { reasons } of refusals.values()) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available: ${parts.join(", ")}.`;
}
