import {
  compositePodGroups,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import type { Condition } from "../../../shared/kubernetes/types.ts";
import { PodGroups } from "./pod_groups.ts";
import type { PodOptions } from "./pods.ts";
import { membersOf, type Space } from "./space.ts";

type Api = ConstructorParameters<typeof PodGroups>[0];

/** What a controller makes of a Workload. */
export function workload({ space, api }: { space: Space; api: Api }) {
  const { name: namespace } = space;
  const { apiVersion } = compositePodGroups;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/compositepodgroups`;
  const podGroups = new PodGroups(api, { apiVersion: nativePodGroups.apiVersion, namespace });
  const of = (parent?: string) => ({
    workloadRef: { workloadName: "train", templateName: "any" },
    ...(parent && { parentCompositePodGroupName: parent }),
  });
  return {
    /** A CompositePodGroup that needs so many groups; 0: it is of policy `basic`. */
    composite: (
      name: string,
      { needs, parent, rack = false, leavesTogether = false }: {
        needs: number;
        parent?: string;
        rack?: boolean;
        leavesTogether?: boolean;
      },
    ) =>
      api.create(path, {
        apiVersion,
        kind: "CompositePodGroup",
        metadata: { name },
        spec: {
          ...of(parent),
          schedulingPolicy: needs === 0 ? { basic: {} } : { gang: { minGroupCount: needs } },
          ...(leavesTogether && { disruptionMode: { all: {} } }),
          ...(rack && { schedulingConstraints: { topology: [{ key: "rack" }] } }),
        },
      }),
    /** Resolves when the condition of a CompositePodGroup is so, and its message has these words. */
    untilScheduled: async (name: string, is: "True" | "False", says = "") => {
      await api.watchUntil(path, (all) => {
        const found = all.find(({ metadata }) => metadata.name === name);
        const conditions: Condition[] = found?.["status"]?.conditions ?? [];
        return conditions.some(({ type, status, reason, message }) =>
          type === "CompositePodGroupInitiallyScheduled" && status === is &&
          reason === (is === "True" ? "Scheduled" : "Unschedulable") && message!.includes(says)
        );
      });
    },
    /** A PodGroup in it that needs so many members; 0: it is of policy `basic`. */
    podGroup: (name: string, parent: string, minCount = 2) =>
      podGroups.create(name, {
        ...of(parent),
        schedulingPolicy: minCount === 0 ? { basic: {} } : { gang: { minCount } },
      }),
    /** Its members, with a GPU each. */
    members: async (
      podGroupName: string,
      { count = 2, ...more }: PodOptions & { count?: number } = {},
    ) => {
      const names = membersOf(podGroupName, count);
      for (const name of names) {
        const spec = { schedulingGroup: { podGroupName }, ...more.spec };
        await space.create(name, { gpus: 1, ...more, spec });
      }
      return names;
    },
  };
}
