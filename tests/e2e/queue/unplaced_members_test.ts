import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { gangAt } from "../support/gangs.ts";
import { metricOf } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, koordinatorAnnotations, needsAnchor, type PodOptions } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

// In strict order, so that a gang that fits waits behind one that does not.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { extraArgs: ["--backfill=0"] },
}));

const gated = { schedulingGates: [{ name: "muster.scheduling/queued" }] };
const parked = { "gang.scheduling.koordinator.sh/timeout": "true" };
/** Three times the largest back-off of the scheduler. */
const quietMs = 9_000;

interface Waiting extends Omit<PodOptions, "gang"> {
  size: number;
  minAvailable: number | string;
  /** Part of the sentence that each of its members says. */
  says: string;
  /** More nodes would help, so autoscalers must know also while the gate stands. */
  lacksRoom: boolean;
}

/** Gangs that wait for ever, each for another reason; the order is that of their creation. */
const waiting: Record<string, Waiting> = {
  large: { size: 4, minAvailable: 4, gpus: 2, says: "needs room for 4 more", lacksRoom: true },
  small: { size: 2, minAvailable: 2, gpus: 1, says: "waits behind gang", lacksRoom: true },
  short: { size: 2, minAvailable: 3, gpus: 1, says: "has 2 of 3 members", lacksRoom: false },
  typo: { size: 2, minAvailable: "five", says: "has no usable quorum", lacksRoom: false },
  parked: {
    size: 2,
    minAvailable: 2,
    annotations: parked,
    says: "timed out and is parked",
    lacksRoom: false,
  },
};

/** What a pod's condition says of why it has no node. */
function scheduled(
  pod: KubernetesObject,
): { status: string; reason: string; message: string } | undefined {
  const conditions: { type: string; status: string; reason: string; message: string }[] =
    pod["status"].conditions ?? [];
  return conditions.find(({ type }) => type === "PodScheduled");
}

/** Resolves when each of the pods says that it is not scheduled, for this reason and in these words. */
async function untilAllSay(
  space: Space,
  names: readonly string[],
  { reason, says }: { reason: string; says: string },
): Promise<void> {
  await space.until(
    `"${names.join('", "')}" say ${reason} and "${says}"`,
    (pods) =>
      names.every((name) =>
        pods.some((pod) => {
          const said = scheduled(pod);
          return pod.metadata.name === name && !isBound(pod) && said?.status === "False" &&
            said.reason === reason && said.message.includes("Muster: ") &&
            said.message.includes(says);
        })
      ),
  );
}

for (
  const [where, spec] of [["in the scheduler's queue", {}], ["behind the gate", gated]] as const
) {
  scenario(
    `every member of a gang that waits ${where} says why, and nothing more happens`,
    async ({ cluster, space }) => {
      // The large gang would fit if it were not for this one.
      await space.create("regular", { gpus: 4 });
      await space.untilRunning(["regular"]);
      for (const [name, { says: _, lacksRoom: __, ...options }] of Object.entries(waiting)) {
        await space.createGang(name, { ...options, spec });
      }
      const groups = JSON.stringify([`${space.name}/half`, `${space.name}/absent`]);
      const annotations = koordinatorAnnotations({ name: "half", "min-available": "2", groups });
      for (const name of membersOf("half", 2)) await space.create(name, { annotations, spec });
      const absent = `the gang group waits for ${space.name}/absent`;
      const told = {
        ...waiting,
        half: { size: 2, says: absent, lacksRoom: false },
      };
      const isGated = spec === gated;
      for (const [name, { size, says, lacksRoom }] of Object.entries(told)) {
        // The scheduler itself writes of a pod that it was told to leave.
        const reason = isGated && !lacksRoom ? "SchedulingGated" : "Unschedulable";
        await untilAllSay(space, membersOf(name, size), { reason, says });
      }

      const { muster } = cluster;
      const calls = () => metricOf(muster.url, "muster_relay_extender_calls_total");
      const nothingHappens = async () => {
        const callsBefore = await calls();
        const before = new Map((await space.pods()).map(versionOf));
        await space.neverWithin(
          quietMs,
          "a pod was written",
          (pods) => pods.some((pod) => before.get(versionOf(pod)[0]) !== versionOf(pod)[1]),
        );
        assertLessOrEqual(await calls() - callsBefore, before.size, "a hot loop");
      };
      // What was on its way when the last one said it is written once.
      await nothingHappens().catch(nothingHappens);
    },
  );

  scenario(
    `every member of a gang ${where} of which one finds no node is Unschedulable`,
    async ({ space }) => {
      const [first = "", second = "", last = ""] = membersOf("torn", 3);
      const gang = { name: "torn", minAvailable: 3 };
      for (const name of [first, second]) await space.create(name, { gpus: 2, gang, spec });
      await space.create(last, { gpus: 2, gang, spec: { ...spec, ...needsAnchor } });
      const pods = await space.until(
        "all three are Unschedulable, and two say for whom",
        (pods) =>
          pods.every((pod) => scheduled(pod)?.reason === "Unschedulable") &&
          pods.filter((pod) => scheduled(pod)?.message.includes(`no node for member ${last}`))
              .length === 2,
      );
      assertEquals(pods.filter(isBound), []);
    },
  );
}

scenario(
  "differing members that found no node go where they were planned, not where the scheduler likes them most",
  async ({ cluster, space }) => {
    const { controlPlane } = cluster;
    await controlPlane.addNode("small", { gpus: 0, cpus: 2, memory: "64Gi" });
    const gang = { name: "mpi", minAvailable: 3 };
    // Behind the gate they are planned before the scheduler sees any of them.
    const needing = (resources: object) => ({
      ...gated,
      containers: [{ name: "main", image: "none", resources }],
    });
    await space.create("launcher", { gang, spec: needing({ requests: { cpu: "2" } }) });
    // Each leaves too little of a node for the launcher, and they differ, so that where they go is planned to the last.
    for (const [name, cpu] of [["worker-0", "31"], ["worker-1", "30500m"]] as const) {
      const worker = needing({ requests: { cpu }, limits: { "nvidia.com/gpu": "1" } });
      await space.create(name, { gang, spec: { ...worker, ...needsAnchor } });
    }
    await space.untilTold(
      ["launcher"],
      "short of nodes that the scheduler takes its members on; no node for member worker-",
    );
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound(["anchor"]);
    const anchoredAt = Date.now();
    const pods = await space.untilBound(["launcher", "worker-0", "worker-1"]);
    const launcher = pods.find(({ metadata }) => metadata.name === "launcher");
    assertEquals(launcher?.["spec"].nodeName, "small");
    const { decisions = [] } = await gangAt(cluster.muster.url, `${space.name}/mpi`) ?? {};
    assert(decisions.length > 0);
    const failed = decisions.filter(({ at, stage }) =>
      stage === "postfilter" && Date.parse(at) > anchoredAt
    );
    assertEquals(failed, []);
    await space.delete("launcher", "worker-0", "worker-1", "anchor");
    await controlPlane.api.delete("/api/v1/nodes/small");
  },
);

function versionOf({ metadata }: KubernetesObject): [uid: string, version: string | undefined] {
  return [metadata.uid ?? "", metadata.resourceVersion];
}
