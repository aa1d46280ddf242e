/**
 * Pods that are evicted: those in the way of a group that lacks nothing but room, and members of a gang that others have broken,
 * because they hold their room for nothing.
 *
 * @module
 */
import { type GangFacts, gangId, type Group } from "../gang/facts.ts";
import { censusOf, leavesOf, rolesOf } from "../gang/roles.ts";
import { isWholeWithout } from "../plan/running.ts";
import { type Attended, isLetIn } from "./attended.ts";
import { lacksRoom } from "./standing.ts";
import type { Advanced, Effect } from "./effect.ts";
import type { Snapshot } from "./snapshot.ts";
import { evictsNow } from "./vain_evictions.ts";

/** Whoever is to leave now; who leaves already is not asked again. */
export function evict(before: Attended, { title, group }: Snapshot): Advanced {
  const broken = stillBroken(before.broken, group);
  const attended = broken === before.broken ? before : { ...before, broken };
  const effects: Effect[] = [...attended.broken.values()].map(({ uids, by }) => ({
    do: "evict",
    uids,
    by,
  }));
  const victims = attended.plan?.clearance?.victims ?? [];
  if (victims.length === 0 || !mayClear(attended)) return { attended, effects };
  const by = evictor(title);
  effects.push({ do: "evict", uids: victims, by, group: attended.id });
  const { vainEvictions } = attended;
  return { attended: { ...attended, vainEvictions: evictsNow(vainEvictions) }, effects };
}

/** For whom pods leave, in words. */
export function evictor(title: string): string {
  return `${title} of higher priority`;
}

/**
 * Whether policy has said that a group lacks nothing but room, and knew that pods are to leave for it: whoever has another word
 * on that was asked. Where it let the group in, others have taken its room since.
 */
export function mayClear(attended: Attended): boolean {
  const { standing, told, asking } = attended;
  if (isLetIn(attended)) return true;
  return lacksRoom(standing) && told?.leaving === true && asking?.question.stage !== "prefilter";
}

/** The rest of a gang is to leave. */
export function breakUp(
  broken: Attended["broken"],
  { gang, by, rest }: { gang: string; by: string; rest: readonly string[] },
): Attended["broken"] {
  const uids = new Set([...broken.get(gang)?.uids ?? [], ...rest]);
  return new Map([...broken, [gang, { uids: [...uids], by }]]);
}

/** Without gangs that are whole again, whoever has bound their members: the rest of them stays. */
function stillBroken(broken: Attended["broken"], { gangs }: Group): Attended["broken"] {
  const whole = gangs.filter((facts) => broken.has(gangId(facts.gang)) && isWhole(facts));
  if (whole.length === 0) return broken;
  const ids = new Set(whole.map(({ gang }) => gangId(gang)));
  return new Map([...broken].filter(([gang]) => !ids.has(gang)));
}

function isWhole(facts: GangFacts): boolean {
  const { gang: { minMember }, census: { bound, succeeded } } = facts;
  const roles = leavesOf(rolesOf(facts))
    .map(({ name, min }) => ({ name, min, bound: censusOf(facts, name).bound }));
  return isWholeWithout({ disruption: "gang", minMember, bound, succeeded, roles }, []);
}

/** A member has left. */
export function withoutMember(broken: Attended["broken"], uid: string): Attended["broken"] {
  if (![...broken.values()].some(({ uids }) => uids.includes(uid))) return broken;
  const rest = [...broken].map(([gang, { uids, by }]) =>
    [gang, { by, uids: uids.filter((other) => other !== uid) }] as const
  );
  return new Map(rest.filter(([, { uids }]) => uids.length > 0));
}
