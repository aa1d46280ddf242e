/**
 * Gang switch: a gang that comes while the last one is incomplete makes that one fail (S0, PreFilter step 2).
 *
 * @module
 */
import type { GroupState } from "./state.ts";

/** Marks the open round of the last gang group: its next permit lets the held members go. Without one nothing changes. */
export function abandon(state: GroupState, forGroup: string): GroupState {
  return state.round ? { ...state, round: { ...state.round, abandonedFor: forGroup } } : state;
}
