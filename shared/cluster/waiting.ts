/**
 * The gangs that wait for nodes, as operators see them.
 *
 * @module
 */
import { verdictOf } from "../core/attend/attended.ts";
import { verdictOn } from "../core/attend/gang_verdict.ts";
import type { Gang } from "./gang.ts";
import type { GangGroup } from "./gang_group.ts";

/** A gang with members that have no node. */
export interface WaitingGang {
  /** What its group was last told. */
  readonly reason: string;
  /** When the oldest of these members was created, in ms since the epoch. */
  readonly since: number;
}

/** The gangs of these groups that wait for Muster; one with members that are held is assembling. */
export function waitingGangs(groups: readonly GangGroup[]): WaitingGang[] {
  return groups.flatMap((group) =>
    group.gangs.flatMap((gang): WaitingGang | [] => {
      const { since, isAssembling } = look(gang);
      if (since === undefined) return [];
      const { round } = group.attended;
      const why = verdictOn(group.attended, gang.id);
      const last = isAssembling ? round?.decision ?? why : why;
      return { reason: last?.reason ?? "Unknown", since: Date.parse(since) };
    })
  );
}

/** Why the functions can not be asked, where one of these groups waits for their answer; undefined: none does. */
export function outageOf(groups: Iterable<GangGroup>): string | undefined {
  for (const { attended } of groups) {
    const why = verdictOf(attended);
    if (why?.reason === "FunctionsUnreachable") return why.message;
  }
  return undefined;
}

function look({ lists }: Gang) {
  let since: string | undefined;
  const isAssembling = lists.sizeOf("held") > 0;
  for (const { pod } of [...lists.in("waiting"), ...lists.in("held")]) {
    // RFC 3339 in UTC: the order of the texts is that of the times.
    const { creationTimestamp = "" } = pod.metadata;
    if (since === undefined || creationTimestamp < since) since = creationTimestamp;
  }
  return { since, isAssembling };
}
