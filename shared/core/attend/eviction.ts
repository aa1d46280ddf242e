/**
 * Pods that are evicted: those in the way of a group that lacks nothing but room, and members of a gang that others have broken,
 * because they hold their room for nothing.
 *
 * @module
 */
import { type Attended, isLetIn, lacksRoom } from "./attended.ts";
import type { Advanced, Effect } from "./effect.ts";
import type { Snapshot } from "./snapshot.ts";
import { evictsNow } from "./vain_evictions.ts";

/** Whoever is to leave now; who leaves already is not asked again. */
export function evict(attended: Attended, { title }: Snapshot): Advanced {
  const effects: Effect[] = [...attended.broken.values()].map(({ uids, by }) => ({
    do: "evict",
    uids,
    by,
  }));
  const victims = attended.plan?.clearance?.victims ?? [];
  if (victims.length === 0 || !mayClear(attended)) return { attended, effects };
  const by = `${title} of higher priority`;
  effects.push({ do: "evict", uids: victims, by, group: attended.id });
  const { vainEvictions } = attended;
  return { attended: { ...attended, vainEvictions: evictsNow(vainEvictions) }, effects };
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

/** A member has left. */
export function withoutMember(broken: Attended["broken"], uid: string): Attended["broken"] {
  if (![...broken.values()].some(({ uids }) => uids.includes(uid))) return broken;
  const rest = [...broken].map(([gang, { uids, by }]) =>
    [gang, { by, uids: uids.filter((other) => other !== uid) }] as const
  );
  return new Map(rest.filter(([, { uids }]) => uids.length > 0));
}
