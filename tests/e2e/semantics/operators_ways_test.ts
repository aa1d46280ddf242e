import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { apiVersionOf, installPodGroups, PodGroups } from "../support/pod_groups.ts";
import type { PodOptions } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4 },
  muster: { extraArgs: ["--scheduler-name=default-scheduler,muster,volcano"] },
}));

const volcano = "scheduling.volcano.sh";

/** As Volcano's operators write it. */
const volcanoMember = { gpus: 1, annotations: { "scheduling.k8s.io/group-name": "job" } };

scenario(
  "a PodGroup of Volcano is Inqueue before any pod exists, and tells in Volcano's words how its gang fares",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    await installPodGroups(api, volcano);
    const podGroups = new PodGroups(api, {
      apiVersion: apiVersionOf(volcano),
      namespace: space.name,
    });
    const untilPhase = (wanted: string) =>
      podGroups.untilStatus("job", ({ phase }) => phase === wanted);
    await space.create("blocker", { gpus: 2 });
    await space.untilBound(["blocker"]);

    await podGroups.create("job", { minMember: 3, queue: "default" });
    await untilPhase("Inqueue");
    assertEquals((await space.pods()).length, 1);
    const names = membersOf("job", 3);
    for (const name of names) await space.create(name, volcanoMember);
    const waits = await podGroups.untilStatus("job", ({ conditions }) => conditions !== undefined);
    assertEquals(waits.phase, "Inqueue");
    const [{ type, status, reason }] = waits.conditions;
    assertEquals([type, status, reason], ["Unschedulable", "True", "NotEnoughResources"]);

    await space.delete("blocker");
    await podGroups.untilStatus("job", ({ running }) => running === 3);
    await untilPhase("Running");
    await space.delete("job-0");
    await untilPhase("Unknown");
    await space.create("replacement", volcanoMember);
    await untilPhase("Running");
    for (const name of ["job-1", "job-2", "replacement"]) {
      await api.patch(`${space.path}/${name}/status`, { status: { phase: "Succeeded" } });
    }
    await untilPhase("Completed");
  },
);

const prefix = "leaderworkerset.sigs.k8s.io/";

/** A pod of LeaderWorkerSet serve, with replicas of three pods; `leader` is absent where it is one. */
function servePod(index: number, leader?: string): PodOptions {
  return {
    gpus: 1,
    labels: { [`${prefix}name`]: "serve", [`${prefix}worker-index`]: String(index) },
    annotations: { [`${prefix}size`]: "3", ...(leader && { [`${prefix}leader-name`]: leader }) },
  };
}

scenario(
  "each replica of a LeaderWorkerSet is a gang: one starts whole, and one without room not in part",
  async ({ space }) => {
    for (const leader of ["serve-0", "serve-1"]) {
      await space.create(leader, servePod(0));
      for (const index of [1, 2]) await space.create(`${leader}-${index}`, servePod(index, leader));
    }
    const replicas = ["serve-0", "serve-1"].map((leader) => [leader, `${leader}-1`, `${leader}-2`]);
    const bound = await space.until(
      "one replica is bound",
      (pods) =>
        replicas.some((names) =>
          names.every((name) =>
            pods.some((pod) => pod.metadata.name === name && pod["spec"].nodeName)
          )
        ),
    );
    const [first = []] = replicas.filter(([leader]) =>
      bound.some((pod) => pod.metadata.name === leader && pod["spec"].nodeName)
    );
    const second = replicas.flat().filter((name) => !first.includes(name));
    await space.untilTold(second, "needs room for 3 more members and finds it for 1");
    assertEquals(await space.bound(), first);
    await space.delete(...first);
    await space.untilBound(second);
  },
);

scenario(
  "a leader whose workers wait for it to run is told which startupPolicy gangs need",
  async ({ space }) => {
    await space.create("serve-0", servePod(0));
    await space.untilEvent(
      "an event says so",
      ({ pod, message }) => pod === "serve-0" && message.endsWith("so use LeaderCreated"),
    );
  },
);
