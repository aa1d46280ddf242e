import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { relayUser } from "../../../tools/control_plane/audit.ts";
import { findOrBuildClient } from "../../../tools/control_plane/binaries.ts";
import {
  nativePodGroupArgs,
  nativePodGroups,
} from "../../../tools/control_plane/native_pod_groups.ts";
import { explanation } from "../../../cli/muster/explanation.ts";
import { GangClient } from "../../../cli/muster/gang_client.ts";
import { untilGang } from "../support/gangs.ts";
import { auditOf } from "../support/invariants.ts";
import { type Cluster, onCluster, progress } from "../support/on_cluster.ts";
import { installPodGroups, PodGroups } from "../support/pod_groups.ts";
import { koordinatorAnnotations } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 2, "node-2": 2 },
  extraApiServerArgs: nativePodGroupArgs,
}));
const gated = { schedulingGates: [{ name: "muster.scheduling/queued" }] };
const kubeBatch = "incubator.scheduling.k8s.io";
let kubectl = "";

Deno.test.beforeAll(async () => {
  kubectl = await findOrBuildClient("kubectl", { onProgress: progress });
});

interface Context {
  cluster: Cluster;
  space: Space;
}

/** Events of Muster's own, as `object: reason`. */
async function told({ cluster, space }: Context): Promise<string[]> {
  const events = await cluster.controlPlane.api.list(`/api/v1/namespaces/${space.name}/events`);
  return events.filter((event) => event["source"]?.component === "muster-relay")
    .map((event) => `${event["involvedObject"].name}: ${event["reason"]}`).sort();
}

/** Waits until Muster has said what it had to say of all that happened before. */
async function untilAllIsTold({ space }: Context): Promise<void> {
  await space.createGang("witness", { size: 1, minAvailable: "none" });
  await space.untilEvent("the witness is told", ({ reason }) => reason === "InvalidMinMember");
}

/** PodGroups of kube-batch, whose kind Muster knows. */
async function podGroupsOf({ cluster, space }: Context): Promise<PodGroups> {
  const { api } = cluster.controlPlane;
  await installPodGroups(api, kubeBatch);
  const podGroups = new PodGroups(api, {
    apiVersion: `${kubeBatch}/v1alpha1`,
    namespace: space.name,
  });
  await podGroups.create("known", { minMembers: 1 });
  await podGroups.untilStatus("known", () => true);
  return podGroups;
}

async function describe({ cluster, space }: Context, pod: string): Promise<string> {
  const { stdout } = await new Deno.Command(kubectl, {
    args: ["describe", "pod", pod, "-n", space.name],
    env: { KUBECONFIG: cluster.controlPlane.kubeconfig },
    stdin: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

scenario(
  "kubectl describe says of each member behind the gate why it waits, by one event for each reason",
  async (context) => {
    const { cluster, space } = context;
    await space.create("blocker", { gpus: 2 });
    await space.untilBound(["blocker"]);
    const gang = { name: "behind", minAvailable: 3 };
    for (const name of membersOf("behind", 2)) {
      await space.create(name, { gpus: 1, gang, spec: gated });
    }
    const untilSaid = async (names: readonly string[], reason: string) => {
      for (const name of names) {
        await space.untilEvent(
          `${name} has an event ${reason}`,
          (event) => event.pod === name && event.reason === reason,
        );
      }
    };
    await untilSaid(membersOf("behind", 2), "MembersMissing");
    assertMatch(
      await describe(context, "behind-0"),
      /Warning +MembersMissing .* muster-relay +gang \S+ has 2 of 3 members/,
    );
    await space.create("behind-2", { gpus: 1, gang, spec: gated });
    await untilSaid(membersOf("behind", 3), "InsufficientResources");
    for (const name of membersOf("behind", 3)) {
      assertMatch(
        await describe(context, name),
        /Warning +InsufficientResources .* muster-relay +gang \S+ needs room for 3 more members/,
      );
    }
    assertEquals((await told(context)).length, 5);
    const writes = (await auditOf(cluster.controlPlane)).filter(({ user, verb, objectRef }) =>
      user.username === relayUser && verb !== "get" && objectRef?.namespace === space.name
    );
    const tally = Map.groupBy(
      writes,
      ({ verb, objectRef }) => [verb, objectRef?.resource, objectRef?.subresource].join(" "),
    );
    progress(
      `behind the gate, 3 members, 2 reasons: ${
        JSON.stringify([...tally].map(([kind, all]) => `${kind}: ${all.length}`))
      }`,
    );
    await space.delete("blocker");
    await space.untilBound(membersOf("behind", 3));
  },
);

scenario(
  "a job that is deleted with its PodGroup is told nothing, and its PodGroup neither",
  async (context) => {
    const { cluster, space } = context;
    const { api } = cluster.controlPlane;
    const podGroups = await podGroupsOf(context);
    const jobs = `/apis/batch/v1/namespaces/${space.name}/jobs`;
    const job = await api.create(jobs, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "train" },
      spec: {
        suspend: true,
        parallelism: 3,
        completions: 3,
        template: {
          metadata: { annotations: { "scheduling.k8s.io/group-name": "train" } },
          spec: {
            schedulerName: "muster",
            restartPolicy: "Never",
            containers: [{ name: "main", image: "none" }],
          },
        },
      },
    });
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "train", uid: job.metadata.uid };
    await api.create(podGroups.path, {
      apiVersion: `${kubeBatch}/v1alpha1`,
      kind: "PodGroup",
      metadata: { name: "train", ownerReferences: [owner] },
      spec: { minMembers: 3 },
    });
    await podGroups.untilStatus("train", () => true);
    await api.patch(`${jobs}/train`, { spec: { suspend: false } });
    await space.until(
      "all have a node",
      (pods) => pods.length === 3 && pods.every(({ spec }) => spec.nodeName),
    );
    // Garbage collection takes the PodGroup first, as it may.
    await podGroups.delete("train");
    const id = `${space.name}/train`;
    await untilGang(cluster.muster.url, id, ({ reason }) => reason === "Satisfied");
    await api.delete(`${jobs}/train?propagationPolicy=Foreground`);
    await space.until("all are gone", (pods) => pods.length === 0);
    await untilAllIsTold(context);
    assertEquals(await told(context), ["witness-0: InvalidMinMember"]);
  },
);

scenario(
  "what is so of the first pods of a gang only is no event, nor is a PodGroup that comes a moment later",
  async (context) => {
    const { space } = context;
    const podGroups = await podGroupsOf(context);
    const annotations = (quorum: string) =>
      koordinatorAnnotations({ name: "tf", "min-available": quorum });
    await space.create("tf-0", { annotations: annotations("four") });
    for (const name of ["tf-1", "tf-2", "tf-3"]) {
      await space.create(name, { annotations: annotations("4") });
    }
    const member = { annotations: { "scheduling.k8s.io/group-name": "job" } };
    for (const name of membersOf("job", 2)) await space.create(name, member);
    await podGroups.create("job", { minMembers: 2 });
    await space.untilBound([...membersOf("tf", 4), ...membersOf("job", 2)]);
    await untilAllIsTold(context);
    assertEquals(await told(context), ["tf-0: GangConflict", "witness-0: InvalidMinMember"]);
  },
);

scenario(
  "a member that points to a PodGroup as kube-batch's and Volcano's do is told that either will do",
  async ({ space }) => {
    await space.create("volcano-0", { annotations: { "scheduling.k8s.io/group-name": "vc" } });
    const sentence =
      `gang ${space.name}/vc waits for its PodGroup: create one named "vc", of ${kubeBatch} or ` +
      "scheduling.volcano.sh";
    await space.untilTold(["volcano-0"], sentence);
    await space.untilEvent(
      "an event says so",
      ({ pod, reason, message }) =>
        pod === "volcano-0" && reason === "PodGroupNotFound" && message.startsWith(sentence),
    );
  },
);

const { condition, isPlacedForGood } = nativePodGroups;

scenario(
  `a native PodGroup whose pods are gone ${
    isPlacedForGood ? "stays scheduled" : "is not scheduled any more"
  }`,
  async (context) => {
    const { cluster, space } = context;
    const podGroups = new PodGroups(cluster.controlPlane.api, {
      apiVersion: nativePodGroups.apiVersion,
      namespace: space.name,
    });
    await podGroups.create("train", { schedulingPolicy: { gang: { minCount: 2 } } });
    const names = membersOf("train", 2);
    const spec = { schedulingGroup: { podGroupName: "train" } };
    for (const name of names) await space.create(name, { gpus: 1, spec });
    type Condition = { type: string; status: string; message: string };
    const scheduled = ({ conditions = [] }: { conditions?: Condition[] }) =>
      conditions.find(({ type }) => type === condition);
    await podGroups.untilStatus("train", (status) => scheduled(status)?.status === "True");
    await space.delete(...names);
    if (isPlacedForGood) {
      await untilAllIsTold(context);
      await podGroups.untilStatus("train", (status) => scheduled(status)?.status === "True");
      return;
    }
    const status = await podGroups.untilStatus(
      "train",
      (status) => scheduled(status)?.status === "False",
    );
    assertEquals(scheduled(status)?.message, "no member is left that has a node");
  },
);

scenario(
  "a pod with a quorum and without a gang's name starts alone, and kubectl describe says what it lacks",
  async (context) => {
    const { space } = context;
    await space.create("alone", { labels: { "pod-group/min-available": "4" } });
    await space.untilBound(["alone"]);
    await space.untilEvent(
      "it is told",
      ({ pod, reason }) => pod === "alone" && reason === "GangNameMissing",
    );
    assertStringIncludes(
      await describe(context, "alone"),
      "pod alone has label pod-group/min-available, but no label pod-group/name",
    );
  },
);

scenario("explain says who preempted a gang's members", async ({ cluster, space }) => {
  const { url } = cluster.muster;
  const low = membersOf("low", 4);
  // Else all of them would leave.
  const annotations = { "muster.scheduling/disruption": "member" };
  const spec = { priorityClassName: "low" };
  await space.createGang("low", { size: 4, gpus: 1, annotations, spec });
  await space.untilBound(low);
  await space.createGang("high", { size: 2, gpus: 1, spec: { priorityClassName: "high" } });
  await space.untilBound(membersOf("high", 2));
  const by = `2 members were preempted by gang ${space.name}/high of higher priority`;
  await untilGang(url, `${space.name}/low`, ({ message }) => message.endsWith(`; ${by}`));
  const story = await new GangClient({ url }).detail(space.name, "low");
  const text = explanation(story, Date.now()).replace(/\s+/g, " ");
  assertStringIncludes(text, by);
  const gang = { name: "low", minAvailable: 4 };
  for (const name of ["low-4", "low-5"]) {
    await space.create(name, { gpus: 1, gang, annotations, spec });
  }
  // The ones that come instead wait for room, and say for whom the others left.
  await untilGang(
    url,
    `${space.name}/low`,
    ({ message }) => message.endsWith(`: 2 more wait for a node; ${by}`),
  );
  await space.clear();
});
