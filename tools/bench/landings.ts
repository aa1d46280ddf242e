/**
 * What a recording says of members that the scheduler has found a node for.
 *
 * @module
 */
import type { Replayed } from "../../shared/core/record/replay.ts";

/** Where members landed, and why rounds failed. */
export interface Landings {
  /** Members that the scheduler found a node for. */
  readonly members: number;
  /** Those that the plan had sent to a node: alike ones without a topology go anywhere that leaves others their room. */
  readonly sent: number;
  /** Those of them that landed there, in the first round of their group. */
  readonly planned: number;
  /** Rounds that ended without a binding, by what was said of that. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Counts members once, with their first call that is seen, and rounds each time. */
export function landingsIn(all: readonly Replayed[]): Landings {
  const sent = new Map<string, string>();
  const landed = new Map<string, { isSent: boolean; isPlanned: boolean }>();
  const begunAgain = new Set<string>();
  const failed: Record<string, number> = {};
  for (const { entry, event, before, after, then } of all) {
    const uid = entry.offer?.uid;
    const place = uid === undefined ? undefined : after.placement.chosen.get(uid);
    if (place && then.includes(place.node)) sent.set(uid!, place.node);
    for (const { pod } of event && "snapshot" in event ? event.snapshot.calls.values() : []) {
      if (landed.has(pod.uid)) continue;
      const isFirst = !begunAgain.has(before.id);
      const isPlanned = isFirst && sent.get(pod.uid) === pod.node;
      landed.set(pod.uid, { isSent: sent.has(pod.uid), isPlanned });
    }
    if (event?.is === "answered" && then.includes("count reject")) {
      const { reason } = event.answer;
      failed[reason] = (failed[reason] ?? 0) + 1;
      begunAgain.add(before.id);
    }
  }
  const members = [...landed.values()];
  return {
    members: members.length,
    sent: members.filter(({ isSent }) => isSent).length,
    planned: members.filter(({ isPlanned }) => isPlanned).length,
    failed,
  };
}
