/**
 * Held members whose nodes are gone, or would have them evicted: where they were bound, their gang would not be whole.
 *
 * @module
 */
import { whyPending } from "../words/why_pending.ts";
import { type Attended, withLost } from "./attended.ts";
import type { Advanced } from "./effect.ts";
import { type Call, openCalls, type Snapshot } from "./snapshot.ts";

/** The calls of those that can still be let go. */
export function strandedCalls(snapshot: Snapshot): Call[] {
  // As at nearly every look.
  if (snapshot.stranded.length === 0) return [];
  const stranded = new Set(snapshot.stranded);
  return openCalls(snapshot).filter(({ pod }) => stranded.has(pod.uid));
}

/** Lets them go, which their gang group hears of as of any loss. Undefined: there are none. */
export function letStrandedGo(attended: Attended, snapshot: Snapshot): Advanced | undefined {
  const calls = strandedCalls(snapshot);
  if (calls.length === 0) return undefined;
  const cause = "node-lost";
  const lost = calls.map(({ pod, gang }) => ({ pod, cause, gang }) as const);
  const effects = calls.map((call) => {
    const { gang, pod: { name: pod } } = call;
    const { message: sentence } = whyPending({ reason: "MemberLost", gang, pod, cause });
    return { do: "release", call, sentence } as const;
  });
  return {
    attended: { ...withLost(attended, lost), plan: undefined },
    effects: [...effects, { do: "look" }],
  };
}
