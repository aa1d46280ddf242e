/**
 * The status of a CompositePodGroup: one condition, which is final once it is true.
 *
 * @module
 */
import type { Problem } from "../../core/gang/facts.ts";
import { conditionIn, withCondition } from "./conditions.ts";
import type { PodGroupStatus, StatusGiven } from "./summary.ts";

/** What is known of the groups in a CompositePodGroup. */
export interface CompositeOutlook {
  /** Whether as many as it needs have their members on nodes. */
  readonly isScheduled: boolean;
  /** Why they are not; absent: nothing is known against it. */
  readonly obstacle?: (Problem & { readonly reason: "Invalid" | "Unschedulable" }) | undefined;
}

/** What KEP-6012 asks for (scheduling.k8s.io/v1alpha3); kube-scheduler 1.37 writes it on PodGroups alone. */
const type = "CompositePodGroupInitiallyScheduled";

const scheduled = {
  reason: "Scheduled",
  message: "as many groups as are needed have been scheduled",
};

/** The fields that are other than before. */
export function compositeStatus(
  { isScheduled, obstacle }: CompositeOutlook,
  given: Pick<StatusGiven, "before"> & { facts: Pick<StatusGiven["facts"], "now"> },
): PodGroupStatus {
  if (conditionIn(given.before, type)?.status === "True") return {};
  if (isScheduled) return withCondition(given, { type, status: "True", ...scheduled });
  return obstacle ? withCondition(given, { type, status: "False", ...obstacle }) : {};
}
