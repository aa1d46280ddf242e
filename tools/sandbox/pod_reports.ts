import type { Api } from "./api.ts";
import { STRATEGIC_MERGE } from "./api_client.ts";
import { type Condition, conditionOf, kubeTime, type Pod } from "./objects.ts";

/** Writes what the scheduler has to say about a pod: conditions and events. */
export class PodReports {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Emits an event about the pod. */
  event(pod: Pod, event: { type: "Normal" | "Warning"; reason: string; note: string }): void {
    const { name, namespace, uid } = pod.metadata;
    const metadata = { name: `${name}.${crypto.randomUUID()}`, namespace };
    this.#send("POST", {
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
  notScheduled(
    pod: Pod,
    report: { reason: "Unschedulable" | "SchedulerError"; message: string; nominate?: string },
  ): void {
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
    this.#status(pod, {
      ...(same ? {} : { conditions: [condition] }),
      ...(nominated ? {} : { nominatedNodeName: nominate || null }),
    });
  }

  /** Deletes a victim, after saying so in its condition. */
  evict(victim: Pod, preemptor: Pod): void {
    const { namespace, name, uid } = victim.metadata;
    const message = `Preempted by pod ${preemptor.metadata.uid}`;
    this.#status(victim, {
      conditions: [{
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        message,
        lastTransitionTime: kubeTime(Date.now()),
      }],
    });
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    this.#send("DELETE", { path, body: { preconditions: { uid } } });
    this.event(victim, { type: "Normal", reason: "Preempted", note: message });
  }

  #status(pod: Pod, status: Record<string, unknown>): void {
    const { namespace, name, uid } = pod.metadata;
    this.#send("PATCH", {
      path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
      body: { metadata: { uid }, status },
      contentType: STRATEGIC_MERGE,
    });
  }

  /** Reports are best effort, as kube-scheduler's are: where the pod is gone, the next attempt says it again. */
  #send(
    method: string,
    request: { path: string; body: unknown; contentType?: string },
  ): void {
    this.#api.answer({ method, ...request });
  }
}
