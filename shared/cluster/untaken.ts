/**
 * Nodes that have room for a member that the scheduler takes on none.
 *
 * @module
 */
import { stillRefused } from "../core/attend/refused_nodes.ts";
import type { Spare } from "../core/attend/spare.ts";
import { alikeOn } from "./alike_on.ts";
import type { Cluster } from "./cluster.ts";
import type { GangGroup } from "./gang_group.ts";
import { moverOf } from "./offered_member.ts";

/** What they are found in. */
export interface Looked {
  readonly cluster: Cluster;
  readonly spare: Spare;
  /** In ms since the epoch. */
  readonly now: number;
}

/**
 * Those where one more member of that kind has room, beside all plans or by its own group's. Not those that are known to be refused,
 * nor those that have just changed: the scheduler may not have seen that.
 */
export function untakenNodes(
  group: GangGroup,
  kind: string,
  { cluster, spare, now }: Looked,
): string[] {
  const members = group.gangs.flatMap(({ members }) => [...members.values()]);
  const member = members.find((record) => record.kind === kind);
  if (!member) return [];
  const { refusedNodes } = group.attended;
  const changedAt = (node: string) => cluster.room.changedAt(node);
  const alike = (kind: string) => alikeOn(group, kind);
  const refused = stillRefused(refusedNodes, { changedAt, now, alikeOn: alike }).get(kind);
  const roomOn = spare.roomFor(moverOf(member, group));
  return [...cluster.room.nodes.keys()].filter((node) =>
    refused?.more.get(node) !== 0 && !cluster.room.hasJustChanged(node, now) &&
    cluster.room.mayRunOn(member, node) && roomOn(node) !== undefined
  );
}
