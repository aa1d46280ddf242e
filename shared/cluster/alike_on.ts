/**
 * Members of a kind that have their nodes.
 *
 * @module
 */
import type { GangGroup } from "./gang_group.ts";
import { nodeOf } from "./pod_record.ts";

/** How many have a node or are held for it, by node. */
export function alikeOn(
  { gangs }: Pick<GangGroup, "gangs">,
  kind: string,
): ReadonlyMap<string, number> {
  const members = new Map<string, number>();
  for (const record of gangs.flatMap((gang) => gang.counted())) {
    if (record.kind !== kind) continue;
    const node = nodeOf(record);
    if (node !== undefined) members.set(node, (members.get(node) ?? 0) + 1);
  }
  return members;
}
