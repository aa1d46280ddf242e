import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { type Cluster, onCluster } from "../support/on_cluster.ts";
import { type PodOptions, whyPending } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

// In strict order a gang that waits for room is passed by nobody, and a pod may be bound by hand.
const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 1 },
  muster: { extraArgs: ["--backfill=0"] },
}));

/** A member; only as many members as it needs at once are room enough for a gang of this policy. */
function member(name: string, minAvailable: number): PodOptions {
  const matchPolicy = "gang.scheduling.koordinator.sh/match-policy";
  return {
    gpus: 1,
    gang: { name, minAvailable },
    annotations: { [matchPolicy]: "waiting-and-running" },
  };
}

async function untilShort(
  { cluster, space }: { cluster: Cluster; space: Space },
  gang: string,
): Promise<void> {
  await untilGang(
    cluster.muster.url,
    `${space.name}/${gang}`,
    ({ reason, message }) =>
      reason === "InsufficientResources" && message.includes("finds it for 0"),
  );
}

scenario(
  "one pod bound by another scheduler does not put its gang before an older one",
  async (context) => {
    const { cluster, space } = context;
    await space.create("filler", { gpus: 4, spec: { nodeName: "node-1" } });
    const older = membersOf("older", 4);
    for (const name of older) await space.create(name, member("older", 4));
    const [first, ...rest] = membersOf("stray", 5);
    const foreign = { schedulerName: "volcano" };
    const { metadata } = await space.create(first!, { ...member("stray", 5), spec: foreign });
    await cluster.controlPlane.api.create(`${space.path}/${first}/binding`, {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: first, uid: metadata.uid },
      target: { kind: "Node", name: "node-2" },
    });
    await space.untilBound([first!]);
    for (const name of rest) await space.create(name, member("stray", 5));
    await untilShort(context, "older");
    await untilShort(context, "stray");
    await space.delete("filler");
    await space.untilBound(older);
    assertEquals(await space.bound(), [...older, first!]);
    await space.delete(...older);
    await space.untilBound(rest);
  },
);

scenario(
  "a gang that was whole and lost members becomes whole again before an older one starts",
  async (context) => {
    const { space } = context;
    await space.create("filler", { gpus: 1, spec: { nodeName: "node-2" } });
    await space.create("older-0", member("older", 2));
    const young = membersOf("young", 4);
    for (const name of young) await space.create(name, member("young", 4));
    await space.untilBound(young);
    await space.delete("young-0", "young-1");
    await space.create("blocker", { gpus: 2, spec: { nodeName: "node-1" } });
    await space.untilRunning(["blocker"]);
    await space.create("older-1", member("older", 2));
    await untilShort(context, "older");
    for (const name of ["young-0", "young-1"]) await space.create(name, member("young", 4));
    await untilShort(context, "young");
    await space.delete("blocker");
    await space.untilBound(young);
    assertEquals(await space.bound(), ["filler", ...young]);
    await space.delete(...young);
    await space.untilBound(membersOf("older", 2));
    await space.delete("filler");
  },
);

scenario(
  "of a gang that needs one bound member to go on, what it lost comes back before an older gang starts, and room is kept for it",
  async (context) => {
    const { cluster, space } = context;
    await space.create("filler", { gpus: 1, spec: { nodeName: "node-2" } });
    const young = membersOf("young", 2);
    const lasting = (name: string) => ({ gpus: 2, gang: { name, minAvailable: 2 } });
    for (const name of young) await space.create(name, lasting("young"));
    await space.untilBound(young);
    await space.delete("young-0");
    for (const name of ["blocker-0", "blocker-1"]) {
      await space.create(name, { gpus: 1, spec: { nodeName: "node-1" } });
    }
    await space.untilRunning(["blocker-0", "blocker-1"]);
    await space.create("older-0", member("older", 1));
    await untilShort(context, "older");
    await space.create("young-0", lasting("young"));
    await space.until(
      "the scheduler has tried what was lost",
      (pods) => pods.some((pod) => pod.metadata.name === "young-0" && whyPending(pod)),
    );
    await untilGang(
      cluster.muster.url,
      `${space.name}/young`,
      ({ reason, message }) =>
        reason === "Degraded" &&
        message.endsWith("/young runs with 1 of 2 members: 1 more waits for a node"),
    );
    await space.delete("blocker-0");
    await space.untilTold(["older-0"], "waits behind gang");
    await space.delete("blocker-1");
    await space.untilBound(young);
    assertEquals(await space.bound(), ["filler", ...young]);
    await space.delete(...young);
    await space.untilBound(["older-0"]);
    await space.delete("filler");
  },
);
