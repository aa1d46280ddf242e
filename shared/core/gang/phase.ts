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
  const { minMember } = gang;
  const { running, succeeded, failed } = census;
  if (succeeded >= minMember) return "Finished";
  if (running + succeeded >= minMember) return "Running";
  // A Job keeps its failed pods: they tell nothing of a gang whose other members are enough.
  const others = held.length + census.pending + census.gated + census.bound + succeeded;
  if (others >= minMember) return "Scheduling";
  if (failed > 0 && failed + running + succeeded >= minMember) return "Failed";
  return others + failed >= minMember ? "Scheduling" : "Pending";
}
