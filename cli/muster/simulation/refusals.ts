/**
 * What the API server would refuse, and whatever reads objects takes for granted: errors say what to do.
 *
 * @module
 */
import { allocatableOf, requestsOf } from "../../../shared/kubernetes/counting/requests.ts";
import type { Node, ObjectMeta, Pod } from "../../../shared/kubernetes/types.ts";

/** Labels and annotations are texts: what YAML takes for a number or a yes is none. */
export function checkMetadata({ labels, annotations }: Partial<ObjectMeta>): void {
  checkTexts(labels, "label");
  checkTexts(annotations, "annotation");
}

/** A pod's containers, what they ask for, and the labels that its node must have. */
export function checkPod({ metadata, spec }: Pod): void {
  checkMetadata(metadata);
  if (!Array.isArray(spec?.containers)) throw new Error("its spec has no containers");
  checkTexts(spec.nodeSelector, "nodeSelector");
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required && !required.nodeSelectorTerms?.length) {
    throw new Error("the node affinity that it requires has no nodeSelectorTerms: add one");
  }
  // Throws where a quantity is none.
  requestsOf({ spec });
}

/** A node's labels, and what it has. */
export function checkNode(node: Node): void {
  checkMetadata(node.metadata);
  // Throws where a quantity is none.
  allocatableOf(node);
}

function checkTexts(texts: object | undefined, what: string): void {
  for (const [name, value] of Object.entries(texts ?? {})) {
    if (typeof value === "string") continue;
    const hint = value !== null && typeof value === "object" ? "" : `: write "${value ?? ""}"`;
    throw new Error(`${what} ${name} must be a text${hint}`);
  }
}
