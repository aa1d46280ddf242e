import { assert, assertEquals } from "@std/assert";
import { gangAt, untilGang } from "../support/gangs.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

// In strict order a gang that waits for room is passed by nobody.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4, "node-3": 4 },
  muster: { extraArgs: ["--backfill=0"] },
}));

const foreign = { schedulerName: "volcano" };

scenario(
  "a gang starts on 12 free GPUs beside an older one of another scheduler, which is told whose it is and keeps nothing",
  async ({ cluster, space }) => {
    const theirs = membersOf("theirs", 12);
    await space.createGang("theirs", { size: 12, gpus: 1, spec: foreign });
    await space.untilEvent(
      "a pod is told",
      ({ reason, message, pod }) =>
        reason === "SchedulerMismatch" && theirs.includes(pod) &&
        message.includes('asks for scheduler "volcano"'),
    );
    await space.createGang("ours", { size: 4, gpus: 1 });
    await space.untilBound(membersOf("ours", 4));
    await space.createGang("more", { size: 8, gpus: 1 });
    await space.untilBound(membersOf("more", 8));
    assertEquals(await gangAt(cluster.muster.url, `${space.name}/theirs`), undefined);
    const metrics = await (await fetch(`${cluster.muster.url}/metrics`)).text();
    assert(!metrics.includes("SchedulerMismatch"), metrics);
  },
);

scenario(
  "a gang that lacks a member of another scheduler says which, and starts when one of Muster's comes instead",
  async ({ cluster, space }) => {
    const gang = { name: "mixed", minAvailable: 3 };
    await space.create("mixed-0", { gang, gpus: 1 });
    await space.create("mixed-1", { gang, gpus: 1, spec: foreign });
    await space.create("mixed-2", { gang, gpus: 1 });
    const sentence =
      `gang ${space.name}/mixed has 2 of 3 members: pod mixed-1 of scheduler "volcano"`;
    await space.untilTold(["mixed-0", "mixed-2"], sentence);
    const { url } = cluster.muster;
    await untilGang(url, `${space.name}/mixed`, ({ reason }) => reason === "SchedulerMismatch");
    await space.createGang("ours", { size: 12, gpus: 1 });
    await space.untilBound(membersOf("ours", 12));
    await space.delete(...membersOf("ours", 12));
    await space.create("mixed-3", { gang, gpus: 1 });
    await space.untilBound(["mixed-0", "mixed-2", "mixed-3"]);
  },
);
