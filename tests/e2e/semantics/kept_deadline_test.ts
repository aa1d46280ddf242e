import { assertEquals, assertExists } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { untilHeld } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { needs } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const waitSeconds = 60;
const longestHold = 16;

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: {
    profile: "sigs",
    extraArgs: [`--wait-seconds=${waitSeconds}`, `--longest-hold=${longestHold}`],
  },
}));

scenario(
  "a deadline does not begin anew where a member is let go and held again while another is held",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    const gang = { name: "train", minAvailable: 3 };
    const names = membersOf(gang.name, 3);
    const [first = "", second = "", last = ""] = names;
    await space.create(first, { gpus: 2, gang });
    await space.create(second, { gpus: 2, gang, spec: needs("second") });
    await space.create(last, { gpus: 2, gang, spec: needs("last") });
    await untilHeld(url, 1);
    const id = `${space.name}/${gang.name}`;
    const { deadline } = await untilGang(url, id, (gang) => gang.deadline !== undefined);
    assertExists(deadline);
    // The second is held from the middle of the first one's call, so that the first comes back while it is.
    const middle = Date.parse(deadline) - 1000 * (waitSeconds - longestHold / 2);
    await untilGang(url, id, () => Date.now() > middle);
    await space.create("second", { labels: { app: "second" } });
    await untilHeld(url, 2);
    await space.untilEvent(
      `${first} is let go`,
      ({ pod, message }) =>
        pod === first &&
        message.includes(`held for ${longestHold} s, as long as one call may last`),
    );
    await untilHeld(url, 2);
    assertEquals((await untilGang(url, id, () => true)).deadline, deadline);
    assertEquals(await space.bound(), ["second"]);
    await space.create("last", { labels: { app: "last" } });
    await space.untilBound(names);
  },
);
