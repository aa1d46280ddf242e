/**
 * What keeps two members of a gang from one node: host ports, and anti-affinity by host name.
 *
 * @module
 */
import type { ContainerPort, LabelSelector, Pod, PodAffinityTerm } from "../types.ts";
import { selects } from "./label_selector.ts";

/** Of one pod, those about its own namespace first: a term may name as many others as the pod is long. */
const mostWords = 16;

/**
 * What the pod's node must be without, in words: no two pods that say the same can run on one node. What is beyond
 * {@linkcode mostWords} is left to the scheduler.
 */
export function exclusiveOf(pod: Pod): readonly string[] {
  const words = new Set<string>();
  for (const word of wordsOf(pod)) {
    words.add(word);
    if (words.size === mostWords) break;
  }
  return [...words].sort();
}

function* wordsOf(pod: Pod): Generator<string> {
  const { namespace } = pod.metadata;
  const terms = apart(pod);
  for (const term of terms) yield another(term, ` of ${namespace}`);
  for (const port of hostPorts(pod)) yield portText(port);
  for (const term of terms) for (const whose of reachOf(term)) yield another(term, whose);
}

/** Whether it keeps away from pods otherwise too: only the scheduler knows from which. */
export function keepsFromOthers(pod: Pod): boolean {
  return antiAffinityOf(pod).length > apart(pod).length;
}

function antiAffinityOf({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function hostPorts({ spec }: Pod): ContainerPort[] {
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers ?? [], ...sidecars ?? []]
    .flatMap(({ ports }) => ports ?? [])
    .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0);
}

function portText({ hostPort, protocol = "TCP", hostIP }: ContainerPort): string {
  const address = hostIP && hostIP !== "0.0.0.0" ? `${hostIP}:` : "";
  return `another pod on host port ${address}${hostPort}/${protocol}`;
}

/** Terms by which the pod keeps away from others like itself. */
function apart(pod: Pod): PodAffinityTerm[] {
  return antiAffinityOf(pod).filter((term) =>
    term.topologyKey === "kubernetes.io/hostname" && concernsItself(pod, term)
  );
}

/** Whether a pod is one of those that a term of its own names. */
export function concernsItself(pod: Pod, term: PodAffinityTerm): boolean {
  return isInReach(pod, term) &&
    term.labelSelector !== undefined && selects(term.labelSelector, pod.metadata.labels ?? {});
}

function isInReach(
  { metadata: { namespace } }: Pod,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
): boolean {
  if (namespaces.includes(namespace)) return true;
  if (!namespaceSelector) return namespaces.length === 0;
  // Of the namespace's own labels nothing is known: what names some is left to the scheduler.
  return isAnything(namespaceSelector);
}

function another({ labelSelector }: PodAffinityTerm, whose: string): string {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector ?? {};
  const labels = Object.entries(matchLabels).sort().map(([key, value]) => `${key}=${value}`);
  const more = matchExpressions.map(({ key, operator, values = [] }) =>
    [key, operator, ...values].join(" ")
  );
  return `another pod${whose} with ${[...labels, ...more].join(", ") || "any label"}`;
}

/**
 * Beside the pod's own namespace, each that a term reaches, because what pods of one keep away from is nothing to those of another.
 * A term for all namespaces is told apart from those for one other than the pod's own: that these meet is left to the scheduler.
 */
function reachOf({ namespaces = [], namespaceSelector }: PodAffinityTerm): string[] {
  if (namespaceSelector && isAnything(namespaceSelector)) return [""];
  return namespaces.slice(0, mostWords).map((name) => ` of ${name}`);
}

function isAnything({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}
