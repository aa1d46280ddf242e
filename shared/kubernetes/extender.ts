/**
 * The wire format of kube-scheduler's HTTP extenders (k8s.io/kube-scheduler/extender/v1).
 *
 * @module
 */
import type { Pod } from "./types.ts";

/** Request of `filter`, from a scheduler with nodeCacheCapable. */
export interface ExtenderArgs {
  readonly Pod: Pod;
  readonly NodeNames?: readonly string[] | null;
}

/** Reply of `filter`. */
export interface ExtenderFilterResult {
  readonly NodeNames: readonly string[];
  /** Sentences by node. */
  readonly FailedNodes?: Readonly<Record<string, string>>;
  /** Likewise; preemption does not help there. */
  readonly FailedAndUnresolvableNodes?: Readonly<Record<string, string>>;
  readonly Error?: string;
}

/** So many nodes the scheduler names at least, and on a large cluster not all. */
const mostNamed = 100;

/**
 * No node, and why. The sentence is said of a few nodes: the scheduler takes all that are in no list of the reply as refused likewise
 * (since 1.32), and its message has the sentence once, with how often it was said. A pod stays nominated only where preemption may
 * help: else the scheduler ends that.
 */
export function refusing(
  { NodeNames, Pod: { status } }: ExtenderArgs,
  sentence: string,
): ExtenderFilterResult {
  const nodes = NodeNames ?? [];
  const nominated = nodes.filter((node) => node === status?.nominatedNodeName);
  const others = nodes.slice(0, mostNamed).filter((node) => !nominated.includes(node));
  const said = (nodes: readonly string[]) =>
    Object.fromEntries(nodes.map((node) => [node, sentence] as const));
  return {
    NodeNames: [],
    FailedAndUnresolvableNodes: said(others),
    ...(nominated.length > 0 && { FailedNodes: said(nominated) }),
  };
}

/** Request of `bind`. */
export interface ExtenderBindingArgs {
  readonly PodName: string;
  readonly PodNamespace: string;
  readonly PodUID: string;
  readonly Node: string;
}

/** Reply of `bind`; an error un-assumes the pod. */
export interface ExtenderBindingResult {
  readonly Error?: string;
}

/** Victims on one node, by uid. */
export interface MetaVictims {
  readonly Pods: readonly { readonly UID: string }[] | null;
  readonly NumPDBViolations?: number;
}

/** Request of `preempt`, from a scheduler with nodeCacheCapable. */
export interface ExtenderPreemptionArgs {
  readonly Pod: Pod;
  readonly NodeNameToMetaVictims?: Readonly<Record<string, MetaVictims>> | null;
}

/** Reply of `preempt`; no node: no preemption. */
export interface ExtenderPreemptionResult {
  readonly NodeNameToMetaVictims: Readonly<Record<string, MetaVictims>>;
}
