import { assert, assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { bindingsOf, victimsOf } from "../../../tools/control_plane/audit.ts";
import { auditOf } from "../support/invariants.ts";
import { metricOf, untilMetric } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { gangOf, isBound, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({ nodes: { "node-1": 4, "node-2": 4 } }));
const functionCalls = "muster_relay_function_duration_seconds_count";

// The first test: no gang has been here whose calls could be counted.
scenario("a regular pod is bound without a call to the functions", async ({ cluster, space }) => {
  await space.create("regular", { gpus: 1 });
  await space.untilBound(["regular"]);
  await untilMetric(cluster.muster.url, "muster_relay_extender_calls_total", 2);
  assertEquals(await metricOf(cluster.muster.url, functionCalls), 0);
  await space.createGang("counted", { size: 2, gpus: 1 });
  await space.untilBound(membersOf("counted", 2));
  assert(await metricOf(cluster.muster.url, functionCalls) > 0, "the metric counts gangs");
});

scenario(
  "of two gangs created member by member in turn, each too large for half of the cluster, one starts and the other follows",
  async ({ space }) => {
    for (const index of [0, 1, 2]) {
      for (const name of ["a", "b"]) {
        await space.create(`${name}-${index}`, { gpus: 2, gang: { name, minAvailable: 3 } });
      }
    }
    const pods = await space.until(
      "one gang is whole and each member of the other says that its gang waits",
      (pods) =>
        pods.filter(isBound).length === 3 &&
        pods.filter((pod) =>
            !isBound(pod) && whyPending(pod)?.includes(`${space.name}/${gangName(pod)}`)
          ).length === 3,
    );
    const [winner, ...others] = [...new Set(pods.filter(isBound).map(gangName))];
    assertEquals(others, []);
    const loser = winner === "a" ? "b" : "a";
    await space.delete(...membersOf(winner ?? "", 3));
    await space.untilBound(membersOf(loser, 3));
  },
);

scenario(
  "ten gangs that compete for room for two all complete, and none waits for room while it is bound in part",
  async ({ cluster, space }) => {
    const names = Array.from({ length: 10 }, (_, index) => `gang-${index}`);
    await Promise.all(names.map((name) => space.createGang(name, { size: 2, gpus: 2 })));
    const left = new Set(names);
    while (left.size > 0) {
      const expected = Math.min(2, left.size);
      const pods = await space.until(
        `${expected} of the ${left.size} gangs left are whole`,
        (pods) => wholeGangs(pods).length === expected,
      );
      const [done] = wholeGangs(pods);
      await space.delete(...membersOf(done ?? "", 2));
      left.delete(done ?? "");
    }
    // Room comes only from deletions: a gang that needed one to become whole had been bound without its siblings.
    const events = await auditOf(cluster.controlPlane);
    const deletions = events
      .filter(({ verb, responseStatus }) => verb === "delete" && responseStatus?.code === 200)
      .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));
    const bindings = bindingsOf(events);
    for (const name of names) {
      const own = bindings.filter(({ pod }) => pod.startsWith(`${space.name}/${name}-`));
      assertEquals(own.length, 2, name);
      const [first, last] = [own[0]?.at ?? 0, own.at(-1)?.at ?? 0];
      assertEquals(deletions.filter((at) => at > first && at < last), [], name);
    }
  },
);

scenario(
  "a gang short of one member keeps no room from a regular pod, and starts when the member comes",
  async ({ space }) => {
    const [first = "", ...rest] = membersOf("late", 4);
    const gang = { name: "late", minAvailable: 4 };
    for (const name of rest) await space.create(name, { gpus: 2, gang });
    await space.until(
      "three members say why they wait",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes("3 of 4 members")).length === 3,
    );
    await space.create("regular-1", { gpus: 4 });
    await space.create("regular-2", { gpus: 4 });
    await space.untilBound(["regular-1", "regular-2"]);
    await space.delete("regular-1", "regular-2");
    await space.create(first, { gpus: 2, gang });
    await space.untilBound([first, ...rest]);
  },
);

scenario(
  "a gang of high priority preempts regular pods of low priority and starts whole",
  async ({ cluster, space }) => {
    const low = Array.from({ length: 8 }, (_, index) => `low-${index}`);
    for (const name of low) {
      await space.create(name, { gpus: 1, spec: { priorityClassName: "low" } });
    }
    await space.untilBound(low);
    await space.createGang("high", { size: 3, gpus: 2, spec: { priorityClassName: "high" } });
    const pods = await space.untilBound(membersOf("high", 3));
    assert(pods.some((pod) => pod.metadata.name.startsWith("low-")), "two pods may stay");
    const victims = victimsOf(await auditOf(cluster.controlPlane));
    assertEquals(victims.filter((pod) => !pod.startsWith(`${space.name}/low-`)), []);
  },
);

function gangName(pod: KubernetesObject): string {
  return gangOf(pod)?.id.split("/")[1] ?? "";
}

/** The names of the gangs of two whose members all have a node and are there to stay. */
function wholeGangs(pods: KubernetesObject[]): string[] {
  const bound = pods.filter((pod) => isBound(pod) && !pod.metadata.deletionTimestamp)
    .map(gangName);
  return [...new Set(bound)].filter((name) => bound.filter((other) => other === name).length === 2);
}
