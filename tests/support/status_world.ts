import { FakeTime } from "@std/testing/time";
import { Cluster } from "../../shared/cluster/cluster.ts";
import type { Verdict } from "../../shared/core/attend/attended.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { PodGroupStatuses } from "../../relay/report/pod_group_statuses.ts";
import {
  nativePodGroup,
  type PodGroup,
  sigsPodGroup,
} from "../../shared/kubernetes/declaring/pod_group.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { connection } from "../property/histories/model_api.ts";

/** What the API server's definition of the kind says about the status. */
type Definition = "subresource" | "no subresource" | "no status";

/** One PodGroup with minMember 2 on an API server, its pods, and a relay's writer that watches both. */
export class StatusWorld {
  readonly time = new FakeTime("2026-01-01T12:00:00Z");
  /** Patched paths, with their answers. */
  readonly patched: string[] = [];
  readonly failures: string[] = [];
  definition: Definition = "subresource";
  /** Answers patches with this HTTP status instead. */
  fault: number | undefined;
  /** Patches are carried out after it. */
  answering: Promise<void> | undefined;
  /** Their answers come after it. */
  answered: Promise<void> | undefined;
  /** False: changes of the PodGroup are seen later. */
  isWatching = true;
  verdict: Verdict | undefined;
  podGroup: PodGroup;
  readonly statuses: PodGroupStatuses;
  readonly #kind;
  readonly #cluster: Cluster;
  #version = 1;

  constructor({ kind = sigsPodGroup, start = true } = {}) {
    this.#kind = kind;
    this.#cluster = new Cluster({
      podChanged: ({ record }) => this.statuses.gangChanged(record.gang),
      podGroupChanged: () => {},
      roomChanged: () => {},
    }, { schedulerNames: ["muster"] });
    this.podGroup = this.#newPodGroup("uid-1");
    this.statuses = this.newStatuses();
    this.seePodGroup();
    if (start) this.statuses.lead(true);
  }

  /** The writer of a relay that sees the same. */
  newStatuses(): PodGroupStatuses {
    return new PodGroupStatuses({
      api: new KubeApi(connection, (url, init) => this.#answer(url, init)),
      cluster: this.#cluster,
      schedulerNames: ["muster"],
      verdictOf: (gang) => gang === "default/tf" ? this.verdict : undefined,
      failed: (of, error) => this.failures.push(`${of}: ${error.message}`),
    });
  }

  get status(): Record<string, unknown> {
    return { ...this.podGroup.status };
  }

  /** The watch shows the PodGroup as it is. */
  seePodGroup(): void {
    this.#cluster.podGroupChanged(this.#kind, this.podGroup);
    this.statuses.podGroupChanged(this.#kind, this.podGroup);
  }

  /** The PodGroup is deleted and created anew. */
  replacePodGroup(): void {
    this.statuses.podGroupDeleted(this.#kind, this.podGroup);
    this.#cluster.podGroupDeleted(this.#kind, this.podGroup);
    this.podGroup = this.#newPodGroup("uid-2");
    this.seePodGroup();
  }

  /** Somebody writes the status. */
  overwrite(status: Record<string, unknown>): void {
    this.#store(status);
    this.seePodGroup();
  }

  /** Pods `tf-0` and so on are in these phases; one that has a node is written `Pending@node`. */
  pods(...phases: string[]): void {
    phases.forEach((text, index) => {
      const [phase = "", node] = text.split("@");
      const nodeName = node ?? (phase === "Pending" ? undefined : "node-1");
      const pod: Pod = {
        metadata: {
          namespace: "default",
          name: `tf-${index}`,
          uid: `tf-${index}`,
          labels: { "pod-group.scheduling.sigs.k8s.io": "tf" },
          creationTimestamp: "2026-01-01T12:00:00Z",
        },
        spec: {
          schedulerName: "muster",
          ...(nodeName !== undefined && { nodeName }),
          ...(this.#kind === nativePodGroup && { schedulingGroup: { podGroupName: "tf" } }),
        },
        status: { phase },
      };
      this.#cluster.podChanged(pod);
    });
  }

  /** Pods that run, and name no PodGroup. */
  unnamingPods(count: number): void {
    for (let index = 0; index < count; index++) {
      const name = `regular-${index}`;
      this.#cluster.podChanged({
        metadata: { namespace: "default", name, uid: name },
        spec: { schedulerName: "muster", nodeName: "node-1" },
        status: { phase: "Running" },
      });
    }
  }

  /** A pod of another scheduler. */
  foreignPod(): void {
    const labels = { "pod-group.scheduling.sigs.k8s.io": "tf" };
    this.#cluster.podChanged({
      metadata: { namespace: "default", name: "other", uid: "other", labels },
      spec: { schedulerName: "volcano" },
    });
  }

  [Symbol.dispose](): void {
    this.statuses.stop();
    this.time.restore();
  }

  #newPodGroup(uid: string): PodGroup {
    const [version = ""] = this.#kind.versions.slice(-1);
    return {
      apiVersion: `${this.#kind.group}/${version}`,
      metadata: {
        namespace: "default",
        name: "tf",
        uid,
        resourceVersion: String(++this.#version),
        creationTimestamp: "2026-01-01T11:00:00Z",
      },
      spec: { minMember: 2, schedulingPolicy: { gang: { minCount: 2 } } },
    };
  }

  #store(status: Record<string, unknown>): void {
    const metadata = { ...this.podGroup.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...this.podGroup.status, ...status };
    this.podGroup = { ...this.podGroup, metadata, status: JSON.parse(inOrder(stored)) };
  }

  async #answer(url: string, init: RequestInit): Promise<Response> {
    await this.answering;
    const { metadata, status } = JSON.parse(String(init.body));
    const isSubresource = url.endsWith("/status");
    const isStale = metadata.resourceVersion !== this.podGroup.metadata.resourceVersion;
    const isMissing = isSubresource && this.definition !== "subresource";
    const code = this.fault ?? (isMissing ? 404 : isStale ? 409 : 200);
    this.patched.push(`${isSubresource ? "status" : "whole"} ${code}`);
    if (code !== 200) {
      return Response.json({ message: `no: ${code}` }, { status: code });
    }
    const isIgnored = this.definition === "no status" ||
      (this.definition === "subresource" && !isSubresource);
    if (!isIgnored) this.#store(status);
    const answer = Response.json(this.podGroup);
    if (this.isWatching && !isIgnored) this.seePodGroup();
    await this.answered;
    return answer;
  }
}

/** JSON with the fields in the order of their names, as the API server gives those of custom resources. */
function inOrder(value: unknown): string {
  return JSON.stringify(
    value,
    (_, part) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => a < b ? -1 : 1))
        : part,
  );
}
