import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { isBound, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";
import { until } from "../support/until.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 8 } }));

/** Runs so many members at a time as one Job, of a gang that needs three; they end by themselves. */
async function runJob(
  { cluster, space }: { cluster: Cluster; space: Space },
  { name, parallelism }: { name: string; parallelism: number },
): Promise<string> {
  const jobs = `/apis/batch/v1/namespaces/${space.name}/jobs`;
  const labels = {
    "pod-group.scheduling.sigs.k8s.io/name": "train",
    "pod-group.scheduling.sigs.k8s.io/min-available": "3",
  };
  await cluster.controlPlane.api.create(jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: {
      parallelism,
      completions: 3,
      template: {
        metadata: { labels },
        spec: {
          schedulerName: "muster",
          restartPolicy: "Never",
          containers: [{ name: "main", image: "none" }],
        },
      },
    },
  });
  return `${jobs}/${name}`;
}

scenario(
  "members of a Job that ran before do not count for the one that runs the same gang again",
  async (context) => {
    const { space } = context;
    const { api } = context.cluster.controlPlane;
    await runJob(context, { name: "monday", parallelism: 3 });
    await space.until(
      "all members have succeeded",
      (pods) => pods.length === 3 && pods.every(({ status }) => status.phase === "Succeeded"),
    );
    // Times of pods are in whole seconds: what was created in one and the same may be of one run.
    const second = Math.floor(Date.now() / 1000);
    await until("another second", () => Promise.resolve(Date.now() / 1000 > second + 1));
    const job = await runJob(context, { name: "tuesday", parallelism: 2 });
    const isOfTuesday = ({ metadata }: { metadata: { name?: string } }) =>
      metadata.name!.startsWith("tuesday");
    await space.until("two of three members wait, and say so", (pods) => {
      const own = pods.filter(isOfTuesday);
      return own.length === 2 &&
        own.every((pod) => !isBound(pod) && whyPending(pod)?.includes("2 of 3 members"));
    });
    await api.patch(job, { spec: { parallelism: 3 } });
    await space.until("all three are bound", (pods) => {
      const own = pods.filter(isOfTuesday);
      return own.length === 3 && own.every(isBound);
    });
  },
);

scenario(
  "members that have failed say neither how many the next ones are nor how important",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    const first = membersOf("first", 2);
    const before = {
      gang: { name: "train", minAvailable: 2 },
      spec: { priorityClassName: "low" },
    };
    for (const name of first) await space.create(name, before);
    await space.untilRunning(first);
    for (const name of first) {
      await api.patch(`${space.path}/${name}/status`, { status: { phase: "Failed" } });
    }
    const now = { gang: { name: "train", minAvailable: 4 }, spec: { priorityClassName: "high" } };
    const [last, ...second] = membersOf("second", 4);
    for (const name of second) await space.create(name, now);
    await space.untilTold(second, "3 of 4 members");
    await space.create(last!, now);
    await space.untilBound([last!, ...second]);
  },
);

scenario(
  "BUG-2 pods that nobody controls and that have succeeded do not let another pass alone",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    const first = membersOf("first", 3);
    const before = { gang: { name: "train", minAvailable: 3 } };
    for (const name of first) await space.create(name, before);
    await space.untilRunning(first);
    for (const name of first) {
      await api.patch(`${space.path}/${name}/status`, { status: { phase: "Succeeded" } });
    }
    const second = Math.floor(Date.now() / 1000);
    await until("another second", () => Promise.resolve(Date.now() / 1000 > second + 1));
    const [last, ...others] = membersOf("second", 3);
    for (const name of others) await space.create(name, before);
    await space.untilTold(others, "2 of 3 members");
    await space.create(last!, before);
    await space.untilBound([last!, ...others]);
  },
);
