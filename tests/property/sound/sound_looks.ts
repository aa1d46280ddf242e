import type { Decisions } from "../../../shared/core/attend/decisions.ts";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Snapshot } from "../../../shared/core/attend/snapshot.ts";
import type { Advanced } from "../../../shared/core/attend/effect.ts";
import type { EventOf } from "../../../shared/core/attend/event.ts";

/** Longer than any time that a group waits for without saying so. */
const anHour = 3_600_000;

/** Whom it evicts the relay notes on the pods themselves. */
const unfelt: readonly string[] = ["wake", "evict"];

/** Held members wait for nobody who has failed, or is gone, without the functions being asked about it. */
export function faultOfSilence(
  { id, standing, lost, asking, leftAlone }: Attended,
  { calls }: Snapshot,
  { effects }: Advanced,
): string | undefined {
  const hasFailed = standing.phase === "let in" && standing.hasNewFailure;
  if (asking || leftAlone || calls.size === 0 || !(hasFailed || lost.length > 0)) return undefined;
  const isDone = effects.some((effect) => effect.do === "ask" || effect.do === "release");
  return isDone ? undefined : `${id} holds members, and nobody is told that others failed`;
}

/**
 * A rule that a look breaks; undefined: none. What is done is done: the same facts ask for nothing more, and before the time for
 * which a group is to be woken nothing is due.
 */
export function faultOfLook(
  { attended, effects }: Advanced,
  { event, now, advance }: {
    event: EventOf<"look">;
    now: number;
    advance: Decisions["advance"];
  },
): string | undefined {
  // The calls that the facts tell of are answered, or there is nobody to look at.
  if (effects.some((effect) => effect.do === "release" || effect.do === "forget")) return undefined;
  const doneAt = (at: number) =>
    advance(attended, event, at).effects.flatMap((effect) =>
      unfelt.includes(effect.do) ? [] : effect.do
    );
  const wake = effects.find((effect) => effect.do === "wake");
  const isDone = effects.length === (wake ? 1 : 0);
  if (isDone && wake && wake.at <= now) return `${attended.id} is to be woken at once`;
  const again = doneAt(now);
  if (again.length > 0) return `${attended.id}: ${again.join(", ")} once more for the same facts`;
  const early = doneAt(wake ? wake.at - 1 : now + anHour);
  return early.length > 0
    ? `${attended.id}: ${early.join(", ")} ${wake ? "before it is due" : "though nothing is due"}`
    : undefined;
}
