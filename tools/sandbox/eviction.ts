import {
  type DisruptionBudget,
  isUnder,
} from "../../shared/kubernetes/counting/disruption_budget.ts";
import { ApiError, conflict } from "./api_error.ts";
import { isRecord, type KubeObject, kubeTime, type Pod } from "./objects.ts";
import { setCondition } from "./pod_status.ts";

/** What becomes of the budgets that an eviction is under. */
export interface Eviction {
  /** The pod, with the condition that it shows until it is gone. */
  readonly pod: Pod;
  /** The budget, of which one disruption less is left. */
  readonly budget?: KubeObject;
}

/** Evicts a pod, with the checks of kube-apiserver's `EvictionREST`: 429 where a budget keeps it. */
export function evict(pod: Pod, body: unknown, budgets: readonly KubeObject[]): Eviction {
  const { name, uid } = pod.metadata;
  const options = isRecord(body) && isRecord(body.deleteOptions) ? body.deleteOptions : {};
  const preconditions = isRecord(options.preconditions) ? options.preconditions : {};
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      "pods",
      name,
      `the UID in the precondition (${preconditions.uid}) does not match`,
    );
  }
  const conditions = setCondition(pod.status.conditions, {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: kubeTime(Date.now()),
  });
  const evicted = { ...pod, status: { ...pod.status, conditions } };
  const under = budgets.filter((budget) => isUnder(budget as DisruptionBudget, pod));
  if (under.length === 0 || !pod.spec.nodeName) return { pod: evicted };
  if (under.length > 1) {
    throw new ApiError(500, "This pod has more than one PodDisruptionBudget");
  }
  const [budget] = under as [KubeObject];
  const status = isRecord(budget.status) ? budget.status : {};
  const allowed = Number(status.disruptionsAllowed ?? 0);
  if (allowed <= 0) {
    throw new ApiError(
      429,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      { reason: "TooManyRequests" },
    );
  }
  return {
    pod: evicted,
    budget: { ...budget, status: { ...status, disruptionsAllowed: allowed - 1 } },
  };
}
