import { assertEquals } from "@std/assert";
import { untilGang } from "../support/gangs.ts";
import { onCluster } from "../support/on_cluster.ts";
import { koordinatorAnnotations } from "../support/pods.ts";
import { membersOf, type Space } from "../support/space.ts";

const scenario = onCluster(() => ({
  nodes: { "node-1": 4, "node-2": 4 },
  muster: { profile: "koordinator" },
}));

scenario("gangs of one name in two namespaces are two gangs", async ({ space, otherSpace }) => {
  const other = await otherSpace();
  const gang = { name: "train", minAvailable: 2 };
  await space.create("train-0", { gang });
  await other.create("train-0", { gang });
  await space.untilTold(["train-0"], `gang ${space.name}/train has 1 of 2 members`);
  await other.untilTold(["train-0"], `gang ${other.name}/train has 1 of 2 members`);
  await other.create("train-1", { gang });
  await other.untilBound(["train-0", "train-1"]);
  assertEquals(await space.bound(), []);
  await space.create("train-1", { gang });
  await space.untilBound(["train-0", "train-1"]);
});

scenario(
  "the quorum on pods may be changed by creating them anew, and the oldest pod's rules until it is gone",
  async ({ cluster, space }) => {
    const before = { name: "train", minAvailable: 3 };
    const after = { name: "train", minAvailable: 2 };
    await space.create("train-0", { gang: before });
    await space.create("train-1", { gang: before });
    await space.untilTold(["train-0", "train-1"], `gang ${space.name}/train has 2 of 3 members`);
    await space.delete("train-1");
    await space.create("train-1", { gang: after });
    await space.untilEvent(
      "an event says whose quorum rules",
      ({ pod, reason, message }) =>
        pod === "train-1" && reason === "GangConflict" &&
        message.includes("pod train-0, the oldest one that can, rules"),
    );
    assertEquals(await space.bound(), []);
    await space.delete("train-0");
    await space.create("train-0", { gang: after });
    await space.untilBound(["train-0", "train-1"]);
    const { spec } = await untilGang(
      cluster.muster.url,
      `${space.name}/train`,
      (gang) => gang.phase === "Running",
    );
    assertEquals(spec.minMember, 2);
  },
);

/** Starts a gang of three, deletes one of them, and gives what is left. */
async function loseMember(space: Space, annotations: Record<string, string>): Promise<string[]> {
  const names = membersOf("train", 3);
  for (const name of names) await space.create(name, { gpus: 2, annotations });
  await space.untilBound(names);
  const [lost = "", ...left] = names;
  await space.delete(lost);
  return left;
}

for (const policy of ["once-satisfied", "waiting-and-running"]) {
  scenario(
    `with match policy ${policy} a member that was lost is replaced alone`,
    async ({ space }) => {
      const annotations = koordinatorAnnotations({
        name: "train",
        "min-available": "3",
        "match-policy": policy,
      });
      const left = await loseMember(space, annotations);
      await space.create("replacement", { gpus: 2, annotations });
      await space.untilBound(["replacement", ...left]);
    },
  );
}
