/** The fields that say how a pod is. */
export interface DescribedPod {
  metadata: { name: string };
  spec: { nodeName?: string };
  status: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
}

/** One line about a pod, for messages: name, phase, node, and why it is not scheduled. */
export function describePod(pod: DescribedPod): string {
  const { phase, conditions = [] } = pod.status;
  const scheduled = conditions.find(({ type }) => type === "PodScheduled");
  const why = scheduled?.status === "False" ? `, ${scheduled.reason}: ${scheduled.message}` : "";
  const where = pod.spec.nodeName ? ` on ${pod.spec.nodeName}` : "";
  return `  ${pod.metadata.name}: ${phase}${where}${why}`;
}
