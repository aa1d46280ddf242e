import { callApi, STRATEGIC_MERGE } from "./api_client.ts";
import { type Condition, conditionOf, kubeTime, type Pod } from "./objects.ts";

/** Writes what the scheduler has to say about a pod: conditions and events. */
export class PodReports {
  #url: string;
  #signal: AbortSignal;

  constructor(url: string, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** Emits an event about the pod. */
  async event(pod: Pod, event: { type: "Normal" | "Warning"; reason: string; note: string }) {
    const { name, namespace, uid } = pod.metadata;
    const metadata = { name: `${name}.${crypto.randomUUID()}`, namespace };
    await this.#send("POST", {
      path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
      body: {
        metadata,
        ...event,
        action: "Scheduling",
        regarding: { apiVersion: "v1", kind: "Pod", name, namespace, uid },
        reportingController: pod.spec.schedulerName,
        reportingInstance: "sandbox",
        eventTime: new Date().toISOString(),
      },
    });
  }

  /**
   * Sets `PodScheduled=False` and the nominated node, but writes only a change, as kube-scheduler does: a second
   * failure with the same message leaves no trace.
   */
  async notScheduled(
    pod: Pod,
    report: { reason: "Unschedulable" | "SchedulerError"; message: string; nominate?: string },
  ): Promise<void> {
    const { reason, message, nominate = pod.status.nominatedNodeName ?? "" } = report;
    const before = conditionOf(pod, "PodScheduled");
    const same = before?.status === "False" && before.reason === reason &&
      before.message === message;
    const nominated = nominate === (pod.status.nominatedNodeName ?? "");
    if (same && nominated) return;
    const condition: Condition = {
      type: "PodScheduled",
      status: "False",
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: kubeTime(Date.now()),
    };
    await this.#status(pod, {
      ...(same ? {} : { conditions: [condition] }),
      ...(nominated ? {} : { nominatedNodeName: nominate || null }),
    });
  }

  /** Deletes a victim, after saying so in its condition. */
  async evict(victim: Pod, preemptor: Pod): Promise<void> {
    const { namespace, name, uid } = victim.metadata;
    const message = `Preempted by pod ${preemptor.metadata.uid}`;
    await this.#status(victim, {
      conditions: [{
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        message,
        lastTransitionTime: kubeTime(Date.now()),
      }],
    });
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    await this.#send("DELETE", { path, body: { preconditions: { uid } } });
    await this.event(victim, { type: "Normal", reason: "Preempted", note: message });
  }

  async #status(pod: Pod, status: Record<string, unknown>): Promise<void> {
    const { namespace, name, uid } = pod.metadata;
    await this.#send("PATCH", {
      path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      body: { metadata: { uid }, status },
      contentType: STRATEGIC_MERGE,
    });
  }

  /** Reports are best effort, as kube-scheduler's are: the pod may be gone, the API server unreachable. */
  async #send(
    method: string,
    options: { path: string; body: unknown; contentType?: string },
  ): Promise<void> {
    const { path, ...rest } = options;
    try {
      await callApi(`${this.#url}${path}`, { method, ...rest, signal: this.#signal });
    } catch {
      // The next attempt says it again.
    }
  }
}
