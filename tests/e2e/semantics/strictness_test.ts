import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { metricOf, untilHeld } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
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
      "waiting-time": "7s",
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
