/**
 * Unreserve: what becomes of a gang group when it loses a held member.
 *
 * @module
 */
import { type GangFacts, gangId, type GangSpec, type Group, type Loss } from "../gang/facts.ts";
import { type Decided, failRound, followRound, heldUids, permit } from "./permit.ts";
import { missing } from "../gang/quorum.ts";
import type { Settings } from "../gang/settings.ts";
import { neededOf } from "./needed.ts";
import { emptyState, type GroupState } from "./state.ts";
import { title, whyPending } from "../words/why_pending.ts";

/** What unreserve is asked. The lost members are no longer held in the group's facts. */
export interface UnreserveEvent {
  readonly stage: "unreserve";
  readonly group: Group;
  readonly lost: readonly Loss[];
  readonly settings: Settings;
}

/**
 * Strict: all held members of the group go, unless its gang is satisfied without the lost one (S0, S1; S3 after quorum). Of a
 * gang that the group can do without only its own go.
 */
export function unreserve(state: GroupState, event: UnreserveEvent, now: number): Decided {
  const { group, lost, settings } = event;
  if (lost.some((loss) => loss.cause === "gone")) {
    const anew = permit(followRound(emptyState, event, now), event, now);
    if (heldUids(group).length > 0) return anew;
    const why = whyPending({ reason: "Gone", title: title(group) });
    return { state: emptyState, outcome: { ...anew.outcome, ...why } };
  }

  const lossOf = (gang: GangSpec) =>
    lost.find((loss) => loss.gang === undefined || loss.gang === gangId(gang));
  const isBroken = (facts: GangFacts) =>
    facts.gang.mode !== "NonStrict" && missing(facts, settings) > 0 &&
    lossOf(facts.gang) !== undefined;
  const without = new Set(group.gangs.filter(isBroken).map(({ gang }) => gangId(gang)));
  const broken = neededOf(group, { settings, hopeless: without }).group.gangs.find(isBroken);
  if (!broken) return permit(state, { ...event, hopeless: without }, now);

  const { pod, cause, by } = lossOf(broken.gang)!;
  const gang = gangId(broken.gang);
  const why = whyPending({ reason: "MemberLost", gang, pod: pod.name, cause, by });
  if (heldUids(group).length > 0) return failRound(state, { group, settings, ...why }, now);
  const decided = permit(state, event, now);
  // There is no round to fail, but somebody to name.
  return by === undefined ? decided : { ...decided, outcome: { ...decided.outcome, ...why } };
}
