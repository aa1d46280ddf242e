import { assertEquals } from "@std/assert";
import { parse } from "yaml";
import { untilGang } from "../support/gangs.ts";
import { membersOf } from "../support/space.ts";
import { onCluster } from "../support/on_cluster.ts";

const readme = await Deno.readTextFile(new URL("../../../README.md", import.meta.url));
const [, manifest = ""] = /^```yaml\n(apiVersion: batch\/v1\n[^]*?)^```/m.exec(readme) ?? [];

const scenario = onCluster(() => ({ nodes: { "node-1": 5 } }));

scenario(
  "the Job of README is a gang: it waits whole, and starts whole",
  async ({ cluster, space }) => {
    const { api } = cluster.controlPlane;
    const job = parse(manifest);
    const blocker = membersOf("blocker", 1);
    await space.createGang("blocker", { size: 1, gpus: 2 });
    await space.untilBound(blocker);
    const jobs = `/apis/batch/v1/namespaces/${space.name}/jobs`;
    await api.create(jobs, { ...job, spec: { ...job.spec, activeDeadlineSeconds: 5400 } });
    const isOfJob = ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
      metadata.labels?.["batch.kubernetes.io/job-name"] === job.metadata.name;
    await space.until("its four pods say that there is room for three", (pods) => {
      const members = pods.filter(isOfJob);
      const told = members.flatMap((pod) =>
        pod["status"].conditions?.find(({ type }: { type: string }) => type === "PodScheduled")
          ?.message ?? []
      );
      return members.length === 4 &&
        told.filter((text) => text.includes("needs room for 4 more members and finds it for 3"))
            .length === 4;
    });
    const gang = await untilGang(
      cluster.muster.url,
      `${space.name}/${job.metadata.name}`,
      ({ runTime }) => runTime !== undefined,
    );
    assertEquals(gang.runTime, { seconds: 5400, source: "deadline" }, "as long as its Job lets it");
    assertEquals((await api.list(space.path)).filter((pod) => pod["spec"].nodeName).length, 1);
    await space.delete(...blocker);
    await space.until("all four have a node", (pods) => {
      const members = pods.filter(isOfJob);
      return members.length === 4 && members.every((pod) => pod["spec"].nodeName);
    });
    await api.delete(`${jobs}/${job.metadata.name}?propagationPolicy=Background`);
    await space.until("all pods are gone", (pods) => pods.length === 0);
  },
);
