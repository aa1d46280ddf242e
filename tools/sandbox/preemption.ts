import { whyNot } from "./node_fit.ts";
import type { NodeRoom } from "./node_rooms.ts";
import type { Pod } from "./objects.ts";
import type { Victims } from "./extender_client.ts";

/** The pods that would have to go for this one, by node, as DefaultPreemption's dry run finds them. */
export function findVictims(pod: Pod, rooms: NodeRoom[]): Victims {
  const victims: Victims = {};
  for (const room of rooms) {
    const here = victimsOn(pod, room);
    if (here.length > 0) victims[room.node.metadata.name] = here.map((one) => one.metadata.uid);
  }
  return victims;
}

/** Assumed pods count too: to the scheduler a held bind call looks like a running pod. */
function victimsOn(pod: Pod, room: NodeRoom): Pod[] {
  const lower = [...room.pods.values()].filter((one) => priorityOf(one) < priorityOf(pod));
  const staying = [...room.pods.values()].filter((one) => !lower.includes(one));
  if (lower.length === 0 || whyNot(pod, { room, others: staying }) !== undefined) return [];
  // Reprieve as many as possible, the most important first.
  lower.sort((a, b) => priorityOf(b) - priorityOf(a) || age(a) - age(b));
  return lower.filter((one) => {
    if (whyNot(pod, { room, others: [...staying, one] }) !== undefined) return true;
    staying.push(one);
    return false;
  });
}

/** Picks the node to preempt on: the lowest highest priority of its victims, then their sum, then their number. */
export function pickNode(
  victims: Victims,
  rooms: NodeRoom[],
): { room: NodeRoom; victims: Pod[] } | undefined {
  const candidates = Object.entries(victims).map(([node, uids]) => {
    const room = rooms.find((one) => one.node.metadata.name === node);
    const pods = uids.map((uid) => room?.pods.get(uid));
    if (room === undefined || uids.length === 0 || pods.includes(undefined)) {
      throw new Error(`extender preempt: node "${node}" does not have the victims "${uids}"`);
    }
    const known = pods.filter((one) => one !== undefined);
    const priorities = known.map(priorityOf);
    const sum = priorities.reduce((total, priority) => total + priority, 0);
    return { room, victims: known, rank: [Math.max(...priorities), sum, known.length] };
  });
  candidates.sort((a, b) => {
    const at = a.rank.findIndex((value, index) => value !== b.rank[index]);
    return at < 0 ? 0 : (a.rank[at] ?? 0) - (b.rank[at] ?? 0);
  });
  return candidates[0];
}

/** False while pods that were evicted for it are still on their way out. */
export function mayPreempt(pod: Pod, rooms: NodeRoom[]): boolean {
  if (pod.spec.preemptionPolicy === "Never") return false;
  const nominated = rooms.find((one) => one.node.metadata.name === pod.status.nominatedNodeName);
  return ![...nominated?.pods.values() ?? []].some((one) =>
    one.metadata.deletionTimestamp !== undefined && priorityOf(one) < priorityOf(pod)
  );
}

/** A pod's priority; 0 without one. */
export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0;
}

function age(pod: Pod): number {
  return Date.parse(pod.status.startTime ?? pod.metadata.creationTimestamp);
}
