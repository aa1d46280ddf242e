import { ApiError, conflict, invalid } from "./api_error.ts";
import { isRecord, kubeTime, type Pod } from "./objects.ts";
import { setCondition } from "./pod_status.ts";

/** Applies a Binding to a pod, with the checks of kube-apiserver's `BindingREST` in its order. */
export function bindPod(pod: Pod, binding: unknown): Pod {
  const { name } = pod.metadata;
  if (!isRecord(binding) || !isRecord(binding.target)) {
    throw invalid("Binding", name, "target: Required value");
  }
  const metadata = isRecord(binding.metadata) ? binding.metadata : {};
  const { kind, name: node } = binding.target;
  if (metadata.name !== undefined && metadata.name !== name) {
    throw new ApiError(400, "name in URL does not match name in Binding object");
  }
  if (kind !== undefined && kind !== "" && kind !== "Node") {
    throw invalid("Binding", name, `target.kind: Unsupported value: "${kind}": supported: "Node"`);
  }
  if (typeof node !== "string" || node === "") {
    throw invalid("Binding", name, "target.name: Required value");
  }
  if (metadata.uid && metadata.uid !== pod.metadata.uid) {
    throw refuse(
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata.uid}`,
    );
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (pod.spec.nodeName) {
    throw refuse(name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  }
  if (pod.spec.schedulingGates?.length) {
    throw refuse(name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const conditions = setCondition(pod.status.conditions, {
    type: "PodScheduled",
    status: "True",
    lastTransitionTime: kubeTime(Date.now()),
  });
  return {
    ...pod,
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, conditions },
  };
}

function refuse(name: string, why: string): ApiError {
  return conflict("pods/binding", name, why);
}
