import { assertEquals } from "@std/assert";
import {
  nativePodGroupArgs,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { PodGroups } from "../support/pod_groups.ts";
import { needsAnchor, type PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

// The API server knows native gangs; the scheduler's own gates stay off, so that Muster has to do it.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  extraApiServerArgs: nativePodGroupArgs,
}));

function podGroupsOf({ cluster, space }: { cluster: Cluster; space: Space }): PodGroups {
  return new PodGroups(cluster.controlPlane.api, {
    apiVersion: nativePodGroups.apiVersion,
    namespace: space.name,
  });
}

/** A member of two GPUs that points to its PodGroup as Kubernetes itself defines. */
function memberOf(podGroupName: string, spec: object = {}): PodOptions {
  return { gpus: 2, spec: { ...spec, schedulingGroup: { podGroupName } } };
}

scenario("members of a native PodGroup are bound all or not at all", async (context) => {
  const { cluster, space } = context;
  await podGroupsOf(context).create("train", { schedulingPolicy: { gang: { minCount: 3 } } });
  const names = membersOf("train", 3);
  const [first = "", second = "", last = ""] = names;
  for (const name of [first, second]) await space.create(name, memberOf("train"));
  await space.untilTold([first, second], `gang ${space.name}/train has 2 of 3 members`);
  await space.create(last, memberOf("train", needsAnchor));
  await space.untilTold([first, second], `no node for member ${last}`);
  assertEquals(await space.bound(), []);
  await space.create("anchor", { labels: { app: "anchor" } });
  await space.untilBound(names);
  await untilGang(cluster.muster.url, `${space.name}/train`, ({ phase }) => phase === "Running");
});

scenario("a native gang that does not fit takes no room", async (context) => {
  const { space } = context;
  await podGroupsOf(context).create("large", { schedulingPolicy: { gang: { minCount: 5 } } });
  const names = membersOf("large", 5);
  for (const name of names) await space.create(name, memberOf("large"));
  await space.untilTold(names, "needs room for 5 more members and finds it for 4");
  await space.create("regular-1", { gpus: 4 });
  await space.create("regular-2", { gpus: 4 });
  await space.untilBound(["regular-1", "regular-2"]);
  assertEquals(await space.bound(), ["regular-1", "regular-2"]);
});

scenario("members of a native PodGroup with a basic policy start one by one", async (context) => {
  const { space } = context;
  await podGroupsOf(context).create("loose", { schedulingPolicy: { basic: {} } });
  await space.create("loose-0", memberOf("loose"));
  await space.untilBound(["loose-0"]);
});
