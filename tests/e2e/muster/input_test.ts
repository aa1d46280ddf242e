import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { gangLabels, isBound, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));

scenario("an indexed Job with the two labels runs to completion", async ({ cluster, space }) => {
  const jobs = `/apis/batch/v1/namespaces/${space.name}/jobs`;
  const { api } = cluster.controlPlane;
  const resources = { limits: { "nvidia.com/gpu": "2" } };
  await api.create(jobs, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "train" },
    spec: {
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      template: {
        metadata: { labels: gangLabels({ name: "train", minAvailable: 3 }) },
        spec: {
          schedulerName: "muster",
          restartPolicy: "Never",
          containers: [{ name: "main", image: "none", resources }],
        },
      },
    },
  });
  const [job] = await api.watchUntil(
    jobs,
    (all) => all.some((job) => job["status"].succeeded === 3),
  );
  assertEquals(job?.["status"].completedIndexes, "0-2");
  await api.delete(`${jobs}/train?propagationPolicy=Background`);
  await space.until("the Job's pods are gone", (pods) => pods.length === 0);
});

scenario(
  "a malformed quorum is said on the pods and bound to nothing, and mending one of them lets the gang start",
  async ({ space }) => {
    await space.createGang("typo", { size: 2, minAvailable: "five" });
    const names = membersOf("typo", 2);
    for (const name of names) {
      await space.untilEvent(
        `an event on ${name} says what is wrong`,
        ({ pod, reason, message }) =>
          pod === name && reason === "InvalidMinMember" && message.includes('"five"'),
      );
    }
    const pods = await space.until(
      "each condition says what is wrong",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes('"five"')).length === 2,
    );
    assertEquals(pods.filter(isBound), []);
    await space.createGang("other", { size: 2 });
    await space.untilBound(membersOf("other", 2));

    const [mended = ""] = names;
    await space.delete(mended);
    await space.create(mended, { gang: { name: "typo", minAvailable: 2 } });
    await space.untilBound(names);
  },
);

scenario(
  "members of different priorities are refused with the reason, and start once they agree",
  async ({ space }) => {
    const gang = { name: "mixed", minAvailable: 2 };
    await space.create("mixed-0", { gang, spec: { priorityClassName: "high" } });
    await space.create("mixed-1", { gang, spec: { priorityClassName: "low" } });
    await space.until(
      "both say that their priorities differ",
      (pods) =>
        pods.filter((pod) => whyPending(pod)?.includes("different priorities")).length === 2,
    );
    await space.delete("mixed-1");
    await space.create("mixed-1", { gang, spec: { priorityClassName: "high" } });
    await space.untilBound(["mixed-0", "mixed-1"]);
  },
);

scenario(
  "calls that make no sense are answered with what is wrong, and gangs go on",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    const post = async (path: string, body: string) => {
      const headers = { "content-type": "application/json" };
      const response = await fetch(url + path, { method: "POST", headers, body });
      return { status: response.status, text: await response.text() };
    };
    const huge = JSON.stringify({ padding: "x".repeat(64 * 1024 * 1024) });
    const answers = [
      {
        about: "unknown path",
        status: 404,
        says: "/extender/score",
        answer: await post("/extender/score", "{}"),
      },
      {
        about: "unknown stage",
        status: 404,
        says: "/v1/score",
        answer: await post("/v1/score", "{}"),
      },
      {
        about: "cut permit",
        status: 400,
        says: "JSON",
        answer: await post("/v1/permit", '{"relay":'),
      },
      {
        about: "cut filter",
        status: 400,
        says: "JSON",
        answer: await post("/extender/filter", '{"Pod":'),
      },
      {
        about: "cut bind",
        status: 400,
        says: "JSON",
        answer: await post("/extender/bind", '{"PodName":'),
      },
      {
        about: "filter without a pod",
        status: 400,
        says: "Pod",
        answer: await post("/extender/filter", "{}"),
      },
      { about: "huge permit", status: 413, says: "larger", answer: await post("/v1/permit", huge) },
      {
        about: "huge filter",
        status: 413,
        says: "larger",
        answer: await post("/extender/filter", huge),
      },
    ];
    for (const { about, status, says, answer } of answers) {
      assertEquals(answer.status, status, `${about}: ${answer.text}`);
      assertStringIncludes(answer.text, says, about);
    }
    assertEquals(await (await fetch(`${url}/healthz`)).text(), "ok");
    assert(cluster.muster.process.running);
    await space.createGang("after", { size: 2 });
    await space.untilBound(membersOf("after", 2));
  },
);
