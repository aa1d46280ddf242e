import { assertEquals } from "@std/assert";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { koordinatorAnnotations, needsAnchor } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "koordinator" },
}));

const timeout = "gang.scheduling.koordinator.sh/timeout";
const names = membersOf("late", 3);

/** Creates the gang's members; the last one needs an anchor. */
async function createGang(space: Space): Promise<void> {
  const annotations = koordinatorAnnotations({
    name: "late",
    "min-available": "3",
    mode: "NonStrict",
    "waiting-time": "5s",
  });
  const [first = "", second = "", last = ""] = names;
  for (const name of [first, second]) await space.create(name, { gpus: 1, annotations });
  await space.create(last, { gpus: 1, annotations, spec: needsAnchor });
}

/** Creates the gang, lets it time out, and then creates what it lacked; resolves when Muster has refused it all the same. */
async function parkGang({ cluster, space }: { cluster: Cluster; space: Space }): Promise<void> {
  await createGang(space);
  const pods = await space.until(
    "every member is annotated",
    (pods) => pods.length === 3 && pods.every(isParked),
  );
  assertEquals(pods.filter((pod) => pod["spec"].nodeName), []);
  await space.create("anchor", { labels: { app: "anchor" } });
  await space.untilTold(names, `gang ${space.name}/late timed out and is parked: delete its pods`);
  // A gang that came later is scheduled before it.
  await space.createGang("later", { size: 2 });
  await space.untilBound(["anchor", ...membersOf("later", 2)]);
  const gang = await untilGang(
    cluster.muster.url,
    `${space.name}/late`,
    ({ reason }) => reason === "Parked",
  );
  assertEquals(gang.phase, "Scheduling");
  assertEquals((await space.bound()).filter((name) => names.includes(name)), []);
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
    const [first = "", ...others] = names;
    await api.patch(`${space.path}/${first}`, { metadata });
    // The others are still annotated.
    await space.createGang("witness", { size: 2 });
    await space.untilBound(membersOf("witness", 2));
    assertEquals((await space.bound()).filter((name) => names.includes(name)), []);
    for (const name of others) await api.patch(`${space.path}/${name}`, { metadata });
    const pods = await space.untilBound(names);
    assertEquals(pods.filter(isParked), []);
  },
);

scenario("a parked gang starts when its pods are deleted and created anew", async (context) => {
  const { space } = context;
  await parkGang(context);
  await space.delete(...names);
  await createGang(space);
  await space.untilBound(names);
});

scenario(
  "a parked gang whose pods are created anew one by one stays parked until the last old one is gone",
  async ({ cluster, space }) => {
    await parkGang({ cluster, space });
    const annotations = koordinatorAnnotations({ name: "late", "min-available": "3" });
    const [first = "", second = "", last = ""] = names;
    for (const name of [first, second]) {
      await space.delete(name);
      await space.create(name, { gpus: 1, annotations });
      await space.untilTold([name], `gang ${space.name}/late timed out and is parked`);
    }
    await space.delete(last);
    await space.create(last, { gpus: 1, annotations });
    await space.untilBound(names);
  },
);
