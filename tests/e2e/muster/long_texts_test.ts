import { assertEquals, assertGreater, assertLess } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, koordinatorAnnotations, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";
import { until } from "../support/until.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4 } }));

const longest = "x".repeat(247);
const names = Array.from({ length: 1_000 }, (_, index) => `team/${`${index}`.padStart(240, "g")}`);

/** What one author may write, and what the pod then says. */
const authors: [
  pod: string,
  annotations: { name: string } & Record<string, string>,
  says: string,
][] = [
  ["longest", { name: longest, "min-available": "2" }, "has 1 of 2 members"],
  ["long", { name: "x".repeat(300), "min-available": "1" }, "253 letters at most"],
  ["slash", { name: "a/b", "min-available": "1" }, "has a name that can not be used"],
  [
    "huge",
    { name: "huge", "min-available": "1", groups: JSON.stringify(names) },
    "may name 100 gangs",
  ],
  ["quorum", { name: "quorum", "min-available": "five".repeat(50_000) }, "has no usable quorum"],
];

scenario(
  "whatever one author writes, other gangs start in order, the relay stays ready, and nothing of it is left in the end",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    const look = watchReadiness(url);
    await space.create("blocker", { gpus: 4, spec: { priorityClassName: "high" } });
    await space.untilBound(["blocker"]);
    for (const [pod, annotations] of authors) {
      await space.create(pod, { annotations: koordinatorAnnotations(annotations) });
    }
    await space.createGang("second", { size: 2, gpus: 1 });
    await space.createGang("first", { size: 2, gpus: 2, spec: { priorityClassName: "low" } });
    for (const [pod, , says] of authors) await space.untilTold([pod], says);
    for (const gang of ["first", "second"]) {
      await untilGang(
        url,
        `${space.name}/${gang}`,
        ({ reason }) => reason === "InsufficientResources",
      );
    }
    await space.delete("blocker");
    const pods = await space.untilBound(membersOf("first", 2));
    assertEquals(pods.filter(isBound).length, 2);
    await space.delete(...membersOf("first", 2));
    await space.untilBound(membersOf("second", 2));
    for (const pod of await space.pods()) assertLess(whyPending(pod)?.length ?? 0, 2000);
    const events = await cluster.controlPlane.api.list(`/api/v1/namespaces/${space.name}/events`);
    for (const event of events.filter(({ source }) => source?.component === "muster-relay")) {
      assertLess(String(event["message"]).length, 1024);
    }
    await space.delete(...authors.map(([pod]) => pod), ...membersOf("second", 2));
    await until("the store has forgotten all of these gangs", async () => {
      const { gangs } = await (await fetch(`${url}/v1/gangs`)).json();
      const left = gangs.filter(({ namespace }: { namespace: string }) => namespace === space.name);
      return left.length === 0;
    });
    const { looked, unready } = await look.end();
    assertGreater(looked, 0);
    assertEquals(unready, []);
  },
);

/** Asks again and again whether the relay is ready. */
function watchReadiness(url: string): { end(): Promise<{ looked: number; unready: string[] }> } {
  const unready: string[] = [];
  let looked = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const response = await fetch(`${url}/readyz`);
      const text = await response.text();
      looked++;
      if (!response.ok) unready.push(text);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    async end() {
      isOver = true;
      await watching;
      return { looked, unready };
    },
  };
}
