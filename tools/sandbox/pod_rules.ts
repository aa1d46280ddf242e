import { isDeepStrictEqual } from "node:util";
import { invalid } from "./api_error.ts";
import type { Condition, Container, Pod, PodSpec } from "./objects.ts";

/** Defaults and checks a new pod, as the API server's pod strategy does; its status starts afresh. */
export function preparePod(pod: Pod): Pod {
  const { name } = pod.metadata;
  const { containers, schedulingGates, nodeName } = pod.spec ?? {};
  if (!Array.isArray(containers) || containers.length === 0) {
    throw invalid("Pod", name, "spec.containers: Required value");
  }
  if (nodeName && schedulingGates?.length) {
    throw invalid(
      "Pod",
      name,
      `spec.nodeName: Invalid value: "${nodeName}": cannot be set until all schedulingGates have been cleared`,
    );
  }
  const spec: PodSpec = {
    schedulerName: "default-scheduler",
    restartPolicy: "Always",
    priority: 0,
    preemptionPolicy: "PreemptLowerPriority",
    ...pod.spec,
    containers: containers.map(defaultRequests),
  };
  // Like the real one, the API server itself reports the gate.
  const gated: Condition = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, generation: 1 },
    spec,
    status: { phase: "Pending", ...(schedulingGates?.length ? { conditions: [gated] } : {}) },
  };
}

/** A limit without a request is a request (k8s.io/api defaults). */
function defaultRequests(container: Container): Container {
  const limits = container.resources?.limits;
  if (limits === undefined) return container;
  const requests = { ...limits, ...container.resources?.requests };
  return { ...container, resources: { ...container.resources, requests } };
}

/**
 * What becomes of a pod that a client wants to change: the main resource leaves the status alone, the `status`
 * subresource the spec. 422 for a change of the spec that the API server does not allow.
 */
export function updatePod(before: Pod, options: { after: Pod; subresource?: string }): Pod {
  const { after, subresource } = options;
  if (subresource === "status") return { ...after, spec: before.spec };
  if (isDeepStrictEqual(before.spec, after.spec)) return { ...after, status: before.status };
  const { name } = before.metadata;
  const gates = (before.spec.schedulingGates ?? []).map((gate) => gate.name);
  const kept = (after.spec.schedulingGates ?? []).map((gate) => gate.name);
  if (kept.some((gate) => !gates.includes(gate))) {
    throw invalid("Pod", name, "spec.schedulingGates: Forbidden: only deletion is allowed");
  }
  // While gated, a node selector may still be narrowed.
  const narrowed = gates.length > 0 &&
    Object.entries(before.spec.nodeSelector ?? {})
      .every(([key, value]) => after.spec.nodeSelector?.[key] === value);
  if (!isDeepStrictEqual(fixedPart(before.spec, narrowed), fixedPart(after.spec, narrowed))) {
    throw invalid(
      "Pod",
      name,
      "spec: Forbidden: pod updates may not change fields other than `spec.schedulingGates` (removal only) and, while gated, `spec.nodeSelector`",
    );
  }
  const generation = (before.metadata.generation ?? 1) + 1;
  return { ...after, metadata: { ...after.metadata, generation }, status: before.status };
}

function fixedPart(spec: PodSpec, withoutSelector: boolean): PodSpec {
  const { schedulingGates: _gates, nodeSelector, ...rest } = spec;
  return withoutSelector || nodeSelector === undefined ? rest : { ...rest, nodeSelector };
}
