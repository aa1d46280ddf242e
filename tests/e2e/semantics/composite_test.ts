import { assertEquals } from "@std/assert";
import { compositePodGroupArgs } from "../../../tools/control_plane/native_pod_groups.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound } from "../support/pods.ts";
import { workload } from "../support/workloads.ts";

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
    const labels = { pool: "large" };
    await controlPlane.addNode("large", { gpus: 20, cpus: 32, memory: "64Gi", labels });
  },
}));

scenario(
  "PodGroups of a CompositePodGroup, one within another, start together in one rack or not at all",
  async ({ space, cluster: { controlPlane: { api } } }) => {
    const { composite, podGroup, members, untilScheduled } = workload({ space, api });
    await composite("train", { needs: 2, rack: true });
    await podGroup("servers", "train");
    const servers = await members("servers");
    await space.untilTold(servers, 'CompositePodGroup "train": 1 of the 2 groups that it needs');
    await untilScheduled("train", "False", "1 of the 2 groups that it needs");
    await composite("workers", { needs: 1, parent: "train" });
    await podGroup("pool", "workers");
    await space.untilTold(servers, `waits for ${space.name}/pool: no pods of it exist yet`);
    await space.create("blocker", { gpus: 1, spec: { nodeSelector: { rack: "b" } } });
    await space.untilBound(["blocker"]);
    const all = [...servers, ...await members("pool")];
    // Six GPUs are free, but four in neither rack.
    await space.untilTold(all, "rack a has room for 3 of 4");
    await untilScheduled("train", "False", "rack a has room for 3 of 4");
    await untilScheduled("workers", "False", "rack a has room for 3 of 4");
    assertEquals(await space.bound(), ["blocker"]);
    await space.delete("blocker");
    const pods = await space.untilBound(all);
    const racks = pods.map(({ spec }) => nodes[spec.nodeName as keyof typeof nodes]);
    assertEquals(racks, all.map(() => "b"));
    for (const name of ["train", "workers"]) await untilScheduled(name, "True");
    // It is final.
    await space.delete(...all);
    await space.create("later", { gpus: 1 });
    await space.untilBound(["later"]);
    await untilScheduled("train", "True");
  },
);

const onLarge = { nodeSelector: { pool: "large" } };

scenario(
  "PL-C9: of groups of groups so many start as are needed, each whole, and what can not be whole is not begun",
  async ({ space, cluster: { controlPlane: { api } } }) => {
    const { composite, podGroup, members, untilScheduled } = workload({ space, api });
    await composite("root", { needs: 2 });
    await composite("sub1", { needs: 2, parent: "root" });
    await composite("sub2", { needs: 0, parent: "root" });
    await composite("sub3", { needs: 2, parent: "root" });
    const parents = {
      pg1: "sub1",
      pg2: "sub1",
      pg3: "sub1",
      pg4: "sub2",
      pg5: "sub2",
      pg6: "sub3",
      pg7: "sub3",
    };
    for (const [name, parent] of Object.entries(parents)) {
      await podGroup(name, parent, name === "pg4" ? 0 : 3);
    }
    const pods: Record<string, string[]> = {};
    for (const name of Object.keys(parents)) {
      const gpus = name === "pg3" || name === "pg7" ? 100 : 1;
      pods[name] = await members(name, { count: 3, gpus, spec: onLarge });
    }
    const started = ["pg1", "pg2", "pg4", "pg5"].flatMap((name) => pods[name]!);
    await space.untilBound(started);
    // The scheduler itself finds no node for these.
    await space.untilTold(pods["pg3"]!, "Insufficient nvidia.com/gpu");
    await space.untilTold(
      pods["pg6"]!,
      `gang ${space.name}/pg6 waits: CompositePodGroup "sub3" needs room for 6 more members and finds it for 3: ` +
        'short of nvidia.com/gpu; CompositePodGroup "root" starts with 2 of its 3 groups',
    );
    assertEquals(await space.bound(), started.toSorted());
    for (const name of ["root", "sub1", "sub2"]) await untilScheduled(name, "True");
    await untilScheduled("sub3", "False", "needs room for 6 more members and finds it for 3");
  },
);

scenario(
  "a PodGroup that its CompositePodGroup can do without starts as a whole when there is room, and nobody waits for it",
  async ({ space, cluster: { controlPlane: { api } } }) => {
    const { composite, podGroup, members } = workload({ space, api });
    await composite("train", { needs: 1 });
    await podGroup("servers", "train", 8);
    await podGroup("workers", "train", 8);
    await space.create("blocker", { gpus: 5, spec: onLarge });
    await space.untilBound(["blocker"]);
    const servers = await members("servers", { count: 8, spec: onLarge });
    await space.untilBound(servers);
    const workers = await members("workers", { count: 8, spec: onLarge });
    await space.untilTold(
      workers,
      `gang ${space.name}/workers needs room for 8 more members and finds it for 7`,
    );
    await space.create("other", { gpus: 7, spec: onLarge });
    await space.untilBound(["other"]);
    await space.delete("other");
    assertEquals(await space.bound(), ["blocker", ...servers].toSorted());
    await space.delete("blocker");
    await space.untilBound(workers);
  },
);

for (const leavesTogether of [true, false]) {
  scenario(
    `where a PodGroup has to leave, what its CompositePodGroup is left with ${
      leavesTogether ? "leaves too, wherever it runs" : "runs on, if that says so"
    }`,
    async ({ space, cluster: { controlPlane: { api } } }) => {
      const { composite, podGroup, members } = workload({ space, api });
      await composite("train", { needs: 2, leavesTogether });
      await podGroup("servers", "train");
      await podGroup("workers", "train");
      const onRack = { nodeSelector: { rack: "a" } };
      const servers = await members("servers", { spec: onRack });
      const workers = await members("workers", { spec: onLarge });
      await space.untilRunning([...servers, ...workers]);
      const spec = { ...onRack, priorityClassName: "high" };
      const gang = { name: "high", minAvailable: 1 };
      await space.create("high-0", { gpus: 3, gang, spec });
      const pods = await space.until(
        "the servers are gone, and their place is another's",
        (pods) =>
          pods.some((pod) => pod.metadata.name === "high-0" && isBound(pod)) &&
          pods.length === (leavesTogether ? 1 : 3),
      );
      const left = pods.map(({ metadata }) => metadata.name).sort();
      assertEquals(left, ["high-0", ...leavesTogether ? [] : workers]);
    },
  );
}
