/**
 * Writes statuses, also of kinds that the API server serves without the subresource.
 *
 * @module
 */
import type { GroupingKind } from "../kubernetes/declaring/composite_pod_group.ts";
import { nativePodGroup, type PodGroup } from "../kubernetes/declaring/pod_group.ts";
import type { PodGroupStatus } from "../kubernetes/status/summary.ts";
import { statusOf } from "../kubernetes/writes.ts";
import { type KubeApi, KubeError } from "./kube_api.ts";

/** Writes the statuses of PodGroups, and of what they are in. */
export class StatusWriter {
  readonly #api: KubeApi;
  /** Kinds without the subresource. */
  readonly #whole = new Set<GroupingKind>();

  constructor(api: KubeApi) {
    this.#api = api;
  }

  /** Sets fields of a status, and gives the PodGroup as it is then. */
  async write(
    { kind, podGroup }: { readonly kind: GroupingKind; readonly podGroup: PodGroup },
    fields: PodGroupStatus,
  ): Promise<PodGroup> {
    const write = statusOf(podGroup, { plural: kind.plural, status: fields });
    if (!this.#whole.has(kind)) {
      try {
        return await this.#api.change({ ...write, path: `${write.path}/status` });
      } catch (error) {
        // Those of Kubernetes itself always have it.
        const isCustom = kind.group !== nativePodGroup.group;
        if (!isCustom || !(error instanceof KubeError) || error.code !== 404) throw error;
      }
    }
    const answer = await this.#api.change<PodGroup>(write);
    // Without effect where the subresource has come meanwhile.
    const isSame = answer.metadata.resourceVersion === podGroup.metadata.resourceVersion;
    if (isSame) this.#whole.delete(kind);
    else this.#whole.add(kind);
    return answer;
  }
}
