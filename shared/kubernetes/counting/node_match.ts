/**
 * Whether a pod may run on a node at all: unschedulable nodes, taints, selectors, required node affinity.
 *
 * @module
 */
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  Taint,
  Toleration,
} from "../types.ts";
import { labelOf } from "../../core/gang/label.ts";

/** So few are looked at sooner than anything is remembered of them. */
export const fewRules = 20;

/** In how many requirements, labels and tolerations a pod says where it may run. */
export function rulesOf({ spec: { nodeSelector = {}, affinity, tolerations = [] } }: Pod): number {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  let rules = Object.keys(nodeSelector).length + tolerations.length;
  for (const { matchExpressions = [], matchFields = [] } of required?.nodeSelectorTerms ?? []) {
    rules += 1 + matchExpressions.length + matchFields.length;
  }
  return rules;
}

/** The rules of the scheduler's NodeUnschedulable, TaintToleration and NodeAffinity plugins. */
export function mayRunOn(pod: Pod, node: Node): boolean {
  return toleratesNode(pod, node) && matchesSelector(pod, node) && matchesAffinity(pod, node);
}

/** Pods with the same text are treated alike by {@linkcode mayRunOn}. */
export function placementKey(pod: Pod): string {
  const { nodeSelector, affinity, tolerations } = pod.spec;
  return JSON.stringify([nodeSelector, affinity?.nodeAffinity, tolerations]);
}

/** Whether a node does not have a pod evicted that is bound to it: a cordon, and a taint that came later, keep only others away. */
export function mayStayOn(pod: Pod, { spec }: Node): boolean {
  // Asked of each held member at each look, and few nodes have taints.
  if (!spec?.taints?.length) return true;
  return toleratesAll(pod, spec.taints.filter(({ effect }) => effect === "NoExecute"));
}

function toleratesNode(pod: Pod, node: Node): boolean {
  const { taints: own = [], unschedulable } = node.spec ?? {};
  if (own.length === 0 && !unschedulable) return true;
  const taints: Taint[] = [...own];
  if (unschedulable) {
    taints.push({ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" });
  }
  const isStrict = ({ effect }: Taint) => effect === "NoSchedule" || effect === "NoExecute";
  return toleratesAll(pod, taints.filter(isStrict));
}

function toleratesAll({ spec: { tolerations = [] } }: Pod, taints: readonly Taint[]): boolean {
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Whether a pod with that toleration may run where that taint is, or would not rather run elsewhere. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === "Exists") return true;
  if (toleration.operator === "Lt" || toleration.operator === "Gt") return true;
  return toleration.key !== undefined && (toleration.value ?? "") === (taint.value ?? "");
}

function matchesSelector({ spec: { nodeSelector } }: Pod, node: Node): boolean {
  if (!nodeSelector) return true;
  return Object.entries(nodeSelector)
    .every(([key, value]) => labelOf(node.metadata.labels, key) === value);
}

function matchesAffinity(pod: Pod, node: Node): boolean {
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return !required || required.nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  return expressions.every((requirement) =>
    meets(requirement, labelOf(node.metadata.labels, requirement.key))
  ) &&
    fields.every((requirement) => meets(requirement, node.metadata.name));
}

/** Whether a value, undefined where there is none, meets a requirement. */
export function meets(
  { operator, values = [] }: NodeSelectorRequirement,
  value: string | undefined,
): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return integer(value) > integer(values[0]);
    case "Lt":
      return integer(value) < integer(values[0]);
    default:
      // An operator of a newer API server: the scheduler decides.
      return true;
  }
}

/** NaN, which is neither less nor greater than anything, unless the text is a whole number. */
function integer(text = ""): number {
  return /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
}

/** Whether a node takes the same pods as before, and as many. */
export function sameForScheduling(a: Node, b: Node): boolean {
  const key = (node: Node) =>
    JSON.stringify([
      node.metadata.labels,
      node.spec?.taints,
      node.spec?.unschedulable,
      node.status?.allocatable,
    ]);
  return key(a) === key(b);
}
