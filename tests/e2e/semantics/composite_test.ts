import { assertEquals } from "@std/assert";
import {
  compositePodGroupArgs,
  compositePodGroups,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import { onCluster } from "../support/on_cluster.ts";
import { PodGroups } from "../support/pod_groups.ts";
import type { PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const nodes = { "a-1": "a", "b-1": "b", "b-2": "b" };

// As with native_test.ts: the scheduler's own gates stay off.
const scenario = onCluster(() => ({
  nodes: {},
  extraApiServerArgs: compositePodGroupArgs,
  started: async ({ controlPlane }) => {
    for (const [name, rack] of Object.entries(nodes)) {
      const gpus = rack === "a" ? 3 : 2;
      await controlPlane.addNode(name, { gpus, cpus: 32, memory: "64Gi", labels: { rack } });
    }
  },
}));

type Api = ConstructorParameters<typeof PodGroups>[0];

/** What a controller makes of a Workload of that name. */
function workload({ space, api }: { space: Space; api: Api }) {
  const { name: namespace } = space;
  const { apiVersion } = compositePodGroups;
  const podGroups = new PodGroups(api, { apiVersion: nativePodGroups.apiVersion, namespace });
  const of = (parent?: string) => ({
    workloadRef: { workloadName: "train", templateName: "any" },
    ...(parent && { parentCompositePodGroupName: parent }),
  });
  return {
    /** A CompositePodGroup that needs so many groups. */
    composite: (
      name: string,
      { needs, parent, rack = false }: { needs: number; parent?: string; rack?: boolean },
    ) =>
      api.create(`/apis/${apiVersion}/namespaces/${namespace}/compositepodgroups`, {
        apiVersion,
        kind: "CompositePodGroup",
        metadata: { name },
        spec: {
          ...of(parent),
          schedulingPolicy: { gang: { minGroupCount: needs } },
          ...(rack && { schedulingConstraints: { topology: [{ key: "rack" }] } }),
        },
      }),
    /** A PodGroup of two in it. */
    podGroup: (name: string, parent: string) =>
      podGroups.create(name, { ...of(parent), schedulingPolicy: { gang: { minCount: 2 } } }),
    /** Its members, with a GPU each. */
    members: async (podGroupName: string) => {
      const names = membersOf(podGroupName, 2);
      const options: PodOptions = { gpus: 1, spec: { schedulingGroup: { podGroupName } } };
      for (const name of names) await space.create(name, options);
      return names;
    },
  };
}

scenario(
  "PodGroups of a CompositePodGroup, one within another, start together in one rack or not at all",
  async ({ space, cluster: { controlPlane: { api } } }) => {
    const { composite, podGroup, members } = workload({ space, api });
    await composite("train", { needs: 2, rack: true });
    await podGroup("servers", "train");
    const servers = await members("servers");
    await space.untilTold(servers, 'CompositePodGroup "train": 1 of the 2 groups that it needs');
    await composite("workers", { needs: 1, parent: "train" });
    await podGroup("pool", "workers");
    await space.untilTold(servers, `waits for ${space.name}/pool: no pods of it exist yet`);
    await space.create("blocker", { gpus: 1, spec: { nodeSelector: { rack: "b" } } });
    await space.untilBound(["blocker"]);
    const all = [...servers, ...await members("pool")];
    // Six GPUs are free, but four in neither rack.
    await space.untilTold(all, "rack a has room for 3 of 4");
    assertEquals(await space.bound(), ["blocker"]);
    await space.delete("blocker");
    const pods = await space.untilBound(all);
    const racks = pods.map(({ spec }) => nodes[spec.nodeName as keyof typeof nodes]);
    assertEquals(racks, all.map(() => "b"));
  },
);

scenario(
  "a CompositePodGroup that needs fewer groups than it has is not started by halves",
  async ({ space, cluster: { controlPlane: { api } } }) => {
    const { composite, podGroup, members } = workload({ space, api });
    await composite("train", { needs: 1 });
    await podGroup("servers", "train");
    await podGroup("workers", "train");
    const all = [...await members("servers"), ...await members("workers")];
    await space.untilTold(
      all,
      'is part of CompositePodGroup "train", which needs 1 of its 2 groups, but Muster starts all of ' +
        "them together: create it with a minGroupCount of 2",
    );
    assertEquals(await space.bound(), []);
  },
);
