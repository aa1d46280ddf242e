import type { Pod } from "../../../shared/kubernetes/types.ts";
import type { NodeSpace } from "./room.ts";

/** The fewest pods without which the pod would have room, those that cost least first; undefined if that is not enough. */
export function victimsOn(space: NodeSpace, pod: Pod, lower: Pod[]): Pod[] | undefined {
  for (const other of lower) space.remove(other);
  if (!space.takes(pod) || lower.length === 0) return undefined;
  const byImportance = lower.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0));
  const victims: Pod[] = [];
  for (const other of byImportance) {
    space.add(other);
    if (space.takes(pod)) continue;
    space.remove(other);
    victims.push(other);
  }
  return victims.length > 0 ? victims : undefined;
}
