/**
 * Gangs whose name the contract does not take: the functions are never asked about them, and the store never hears of them.
 *
 * @module
 */
import { gangId, type GangSpec, type Group } from "../gang/facts.ts";
import { isGangId } from "../gang/limits.ts";
import type { Decision } from "../stage/decision.ts";
import { unusable } from "../stage/obstacle.ts";
import { heldUids } from "../stage/permit.ts";
import { title, whyPending } from "../words/why_pending.ts";

/** Whether the functions can be asked about a gang. */
export function isSendable(gang: GangSpec): boolean {
  return isGangId(gangId(gang));
}

/** What every stage would answer about a group that can not be told of; undefined: ask. */
export function unsendable(group: Group): Decision & { verdict: "reject" } | undefined {
  if (group.gangs.every(({ gang }) => isSendable(gang))) return undefined;
  const problem = `${title(group)} has a name that can not be used`;
  const { reason, message } = unusable(group) ?? whyPending({ reason: "InvalidGang", problem });
  return { verdict: "reject", allow: [], wait: [], reject: heldUids(group), reason, message };
}
