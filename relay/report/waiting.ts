/**
 * The gangs that wait for nodes, as operators see them.
 *
 * @module
 */
import type { Gang } from "../cluster/gang.ts";
import type { GangGroup } from "../run/gang_group.ts";

/** A gang with members that have no node. */
export interface WaitingGang {
  /** What its group was last told. */
  readonly reason: string;
  /** When the oldest of these members was created, in ms since the epoch. */
  readonly since: number;
}

/** The gangs of these groups that wait for Muster; a gang whose `isHeld` is assembling. */
export function waitingGangs(
  groups: readonly GangGroup[],
  isHeld: (uid: string) => boolean,
): WaitingGang[] {
  return groups.flatMap((group) =>
    group.gangs.flatMap((gang): WaitingGang | [] => {
      const { since, isAssembling } = look(gang, isHeld);
      if (since === undefined) return [];
      const { standing, round } = group.attended;
      const why = standing.phase === "collecting" ? undefined : standing.why;
      const told = isAssembling ? round?.decision ?? why : why;
      return { reason: told?.reason ?? "Unknown", since: Date.parse(since) };
    })
  );
}

function look(gang: Gang, isHeld: (uid: string) => boolean) {
  let since: string | undefined;
  let isAssembling = false;
  for (const [uid, { node, pod, foreign }] of gang.members) {
    if (node || foreign) continue;
    isAssembling ||= isHeld(uid);
    // RFC 3339 in UTC: the order of the texts is that of the times.
    const { creationTimestamp = "" } = pod.metadata;
    if (since === undefined || creationTimestamp < since) since = creationTimestamp;
  }
  return { since, isAssembling };
}
