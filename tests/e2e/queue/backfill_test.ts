import { assert, assertEquals } from "@std/assert";
import { startMuster } from "../../../tools/control_plane/muster.ts";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, whyPending } from "../support/pods.ts";
import { membersOf } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4 },
  muster: { extraArgs: ["--backfill=5"] },
}));

const short = "needs room for 4 more members";
const behind = "waits behind gang";

scenario(
  "small gangs pass a large one for a while, but do not starve it; then they follow",
  async ({ space }) => {
    await space.create("regular", { gpus: 2 });
    await space.untilBound(["regular"]);
    await space.createGang("large", { size: 4, gpus: 1 });
    await space.untilTold(membersOf("large", 4), short);
    // As soon as one has passed the next one comes, for ever if need be.
    const passed: string[] = [];
    let next: string;
    while (true) {
      next = `small-${passed.length}`;
      await space.createGang(next, { size: 2, gpus: 1 });
      const pods = await space.until(
        `"${next}" has passed or waits behind the large gang`,
        (pods) => {
          const own = pods.filter((pod) => pod.metadata.name.startsWith(`${next}-`));
          return own.every(isBound) || own.every((pod) => whyPending(pod)?.includes(behind));
        },
      );
      if (!pods.some((pod) => pod.metadata.name === `${next}-0` && isBound(pod))) break;
      passed.push(next);
      await space.delete(...membersOf(next, 2));
    }
    assert(passed.length > 0, "nobody has passed");
    await space.delete("regular");
    await space.untilBound(membersOf("large", 4));
    assertEquals(await space.bound(), membersOf("large", 4));
    await space.delete(...membersOf("large", 4));
    await space.untilBound(membersOf(next, 2));
  },
);

scenario(
  "in strict order nobody passes, and a higher priority does",
  async ({ cluster, space }) => {
    const { muster, controlPlane } = cluster;
    await muster.kill("SIGTERM");
    await startMuster(controlPlane, {
      port: Number(new URL(muster.url).port),
      extraArgs: ["--backfill=0"],
    });
    await space.create("regular", { gpus: 1 });
    await space.untilBound(["regular"]);
    await space.createGang("large", { size: 4, gpus: 1 });
    await space.untilTold(membersOf("large", 4), short);
    await space.createGang("small", { size: 2, gpus: 1 });
    await space.untilTold(membersOf("small", 2), behind);
    await space.createGang("urgent", {
      size: 2,
      gpus: 1,
      spec: { priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" },
    });
    await space.untilBound(membersOf("urgent", 2));
    assertEquals(await space.bound(), ["regular", ...membersOf("urgent", 2)]);
    await space.delete("regular", ...membersOf("urgent", 2));
    await space.untilBound(membersOf("large", 4));
    assertEquals(await space.bound(), membersOf("large", 4));
    await space.delete(...membersOf("large", 4));
    await space.untilBound(membersOf("small", 2));
  },
);
