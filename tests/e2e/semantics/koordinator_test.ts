import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { untilGang } from "../support/gangs.ts";
import { metricOf, untilHeld } from "../support/metrics.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { koordinatorAnnotations, needsAnchor, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "koordinator" },
}));

/** Creates three members of two GPUs each, of which the last one can not be placed before there is an anchor. */
async function createGang(space: Space, values: { name: string } & Record<string, string>) {
  const names = membersOf(values.name, 3);
  const annotations = koordinatorAnnotations(values);
  for (const name of names.slice(0, 2)) await space.create(name, { gpus: 2, annotations });
  await space.create(names[2]!, { gpus: 2, annotations, spec: needsAnchor });
  return names;
}

scenario(
  "a Strict gang lets its members go when one finds no node, says which and why, and starts when it finds one",
  async ({ space }) => {
    const names = await createGang(space, { name: "strict", "min-available": "3" });
    const [first = "", second = "", last = ""] = names;
    await space.untilTold([first, second], `no node for member ${last}: `);
    // All eight GPUs: nothing is held.
    await space.create("regular-1", { gpus: 4 });
    await space.create("regular-2", { gpus: 4 });
    await space.untilBound(["regular-1", "regular-2"]);
    assertEquals(await space.bound(), ["regular-1", "regular-2"]);
    await space.delete("regular-1", "regular-2");
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound(names);
  },
);

scenario(
  "a NonStrict gang holds its members when one finds no node, until its wait is over",
  async ({ cluster, space }) => {
    const names = await createGang(space, {
      name: "patient",
      "min-available": "3",
      mode: "NonStrict",
      // Long enough for all that has to be seen before its end.
      "waiting-time": "15s",
    });
    await untilHeld(cluster.muster.url, 2);
    await space.untilTold(names.slice(2), "pod affinity");
    // It needs what the two hold, and finds it only when they are let go.
    await space.create("regular-1", { gpus: 4 });
    await space.create("regular-2", { gpus: 4 });
    await space.until(
      "one regular pod has to wait for room",
      (pods) =>
        pods.some((pod) =>
          pod.metadata.name.startsWith("regular") && whyPending(pod)?.includes("nvidia.com/gpu")
        ),
    );
    assertEquals(await metricOf(cluster.muster.url, "muster_relay_held_calls"), 2);
    await space.untilBound(["regular-1", "regular-2"]);
    await untilGang(
      cluster.muster.url,
      `${space.name}/patient`,
      ({ reason }) => reason === "Parked",
    );
    assertEquals(await space.bound(), ["regular-1", "regular-2"]);
  },
);

for (const mode of ["Strict", "NonStrict"]) {
  scenario(
    `a ${mode} gang starts without a member that finds no node, if it needs only the others`,
    async ({ space }) => {
      const names = await createGang(space, { name: "enough", "min-available": "2", mode });
      await space.untilBound(names.slice(0, 2));
      assertEquals(await space.bound(), names.slice(0, 2));
      await space.create("anchor", { labels: { app: "anchor" } });
      await space.untilBound(names);
    },
  );
}

const timeout = "gang.scheduling.koordinator.sh/timeout";
const lateNames = membersOf("late", 3);

/** Creates the gang's members; the last one needs an anchor. */
async function createLate(space: Space): Promise<void> {
  const annotations = koordinatorAnnotations({
    name: "late",
    "min-available": "3",
    mode: "NonStrict",
    "waiting-time": "5s",
  });
  const [first = "", second = "", last = ""] = lateNames;
  for (const name of [first, second]) await space.create(name, { gpus: 1, annotations });
  await space.create(last, { gpus: 1, annotations, spec: needsAnchor });
}

/** Creates the gang, lets it time out, and then creates what it lacked; resolves when Muster has refused it all the same. */
async function parkGang({ cluster, space }: { cluster: Cluster; space: Space }): Promise<void> {
  await createLate(space);
  const pods = await space.until(
    "every member is annotated",
    (pods) => pods.length === 3 && pods.every(isParked),
  );
  assertEquals(pods.filter((pod) => pod["spec"].nodeName), []);
  await space.create("anchor", { labels: { app: "anchor" } });
  await space.untilTold(
    lateNames,
    `gang ${space.name}/late timed out and is parked: delete its pods`,
  );
  // A gang that came later is scheduled before it.
  await space.createGang("later", { size: 2 });
  await space.untilBound(["anchor", ...membersOf("later", 2)]);
  const gang = await untilGang(
    cluster.muster.url,
    `${space.name}/late`,
    ({ reason }) => reason === "Parked",
  );
  assertEquals(gang.phase, "Scheduling");
  assertEquals((await space.bound()).filter((name) => lateNames.includes(name)), []);
}

function isParked(pod: KubernetesObject): boolean {
  return pod.metadata.annotations?.[timeout] === "true";
}

scenario(
  "a gang that timed out is parked although there is room, until the annotation is removed",
  async ({ cluster, space }) => {
    await parkGang({ cluster, space });
    const { api } = cluster.controlPlane;
    const metadata = { annotations: { [timeout]: null } };
    const [first = "", ...others] = lateNames;
    await api.patch(`${space.path}/${first}`, { metadata });
    // The others are still annotated.
    await space.createGang("witness", { size: 2 });
    await space.untilBound(membersOf("witness", 2));
    assertEquals((await space.bound()).filter((name) => lateNames.includes(name)), []);
    for (const name of others) await api.patch(`${space.path}/${name}`, { metadata });
    const pods = await space.untilBound(lateNames);
    assertEquals(pods.filter(isParked), []);
  },
);

scenario("a parked gang starts when its pods are deleted and created anew", async (context) => {
  const { space } = context;
  await parkGang(context);
  await space.delete(...lateNames);
  await createLate(space);
  await space.untilBound(lateNames);
});

scenario(
  "a parked gang whose pods are created anew one by one stays parked until the last old one is gone",
  async ({ cluster, space }) => {
    await parkGang({ cluster, space });
    const annotations = koordinatorAnnotations({ name: "late", "min-available": "3" });
    const [first = "", second = "", last = ""] = lateNames;
    for (const name of [first, second]) {
      await space.delete(name);
      await space.create(name, { gpus: 1, annotations });
      await space.untilTold([name], `gang ${space.name}/late timed out and is parked`);
    }
    await space.delete(last);
    await space.create(last, { gpus: 1, annotations });
    await space.untilBound(lateNames);
  },
);
