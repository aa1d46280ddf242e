import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { untilHeld } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { needsAnchor } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "sigs", extraArgs: ["--wait-seconds=60", "--longest-hold=3"] },
}));

scenario(
  "a wait that is longer than one call may last goes on over several calls, and nothing is bound before its end",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    const gang = { name: "train", minAvailable: 3 };
    const names = membersOf(gang.name, 3);
    const [first = "", second = "", last = ""] = names;
    for (const name of [first, second]) await space.create(name, { gpus: 2, gang });
    await space.create(last, { gpus: 2, gang, spec: needsAnchor });
    await untilHeld(url, 2);
    const id = `${space.name}/${gang.name}`;
    const { deadline } = await untilGang(url, id, (gang) => gang.deadline !== undefined);
    for (const name of [first, second]) {
      await space.untilEvent(
        `${name} is let go`,
        ({ pod, message }) =>
          pod === name && message.includes("held for 3 s, as long as one call may last"),
      );
    }
    await untilHeld(url, 2);
    // The same wait: it does not begin anew with each call.
    assertEquals((await untilGang(url, id, () => true)).deadline, deadline);
    assertEquals(await space.bound(), []);
    await space.create("anchor", { labels: { app: "anchor" } });
    await space.untilBound(names);
  },
);
