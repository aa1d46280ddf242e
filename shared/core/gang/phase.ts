/**
 * The phase of a gang, from its census alone.
 *
 * @module
 */
import type { Census, GangSpec } from "./facts.ts";

/** The phases of a PodGroup, as scheduler-plugins names them. */
export type Phase = "Pending" | "Scheduling" | "Running" | "Finished" | "Failed";

/** The phase that follows from the members that exist now. */
export function phaseOf(
  { gang, census, held }: {
    gang: Pick<GangSpec, "minMember">;
    census: Census;
    held: readonly unknown[];
  },
): Phase {
  const { running, succeeded, failed } = census;
  if (succeeded >= gang.minMember) return "Finished";
  if (failed > 0 && failed + running + succeeded >= gang.minMember) return "Failed";
  if (running + succeeded >= gang.minMember) return "Running";
  const members = held.length + census.pending + census.gated + census.bound + succeeded + failed;
  return members >= gang.minMember ? "Scheduling" : "Pending";
}
