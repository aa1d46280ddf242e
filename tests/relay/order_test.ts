import { assertEquals } from "@std/assert";
import { membersOf } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4, "node-2": 1 };

/** Only as many members as it needs at once are room enough for a gang of this policy. */
function gangOf(name: string, minAvailable: number) {
  return { name, minAvailable, matchPolicy: "waiting-and-running" };
}

/** Takes all that is free on the large node, until it is deleted. */
async function block(world: RelayWorld, gpus: number): Promise<void> {
  await world.create("blocker", { gpus });
  await world.untilBound(["blocker"]);
}

/** Where no node has room, nobody but the functions knows it of a gang. */
async function untilShort(world: RelayWorld, gang: string, of: number): Promise<void> {
  const sentence = `gang default/${gang} needs room for ${of} more members`;
  await world.until(
    sentence,
    () => world.policy.made.some(({ answer }) => answer?.message?.startsWith(sentence)),
  );
}

relayTest(
  "a pod that got a node by itself does not put its gang before an older one",
  { nodes, backfill: "none" },
  async (world) => {
    await block(world, 4);
    const older = membersOf("older", 4);
    for (const name of older) await world.create(name, { gpus: 1, gang: gangOf("older", 4) });
    await untilShort(world, "older", 4);
    const stray = gangOf("stray", 5);
    await world.create("stray-0", { gpus: 1, gang: stray, spec: { schedulerName: "volcano" } });
    await world.bind("stray-0", "node-2");
    const young = membersOf("stray", 5).slice(1);
    for (const name of young) await world.create(name, { gpus: 1, gang: stray });
    await untilShort(world, "stray", 4);
    await world.delete("blocker");
    await world.untilBound(older);
    assertEquals(young.filter((name) => world.bound().includes(name)), []);
    await world.delete(...older);
    await world.untilBound(young);
  },
);

for (const restarts of [false, true]) {
  relayTest(
    `a gang that was whole and lost members goes before an older one${
      restarts ? ", also where another relay has taken over" : ""
    }`,
    { nodes: { "node-1": 4 }, backfill: "none" },
    async (world) => {
      const older = gangOf("older", 2);
      await world.create("older-0", { gpus: 1, gang: older });
      const young = membersOf("young", 4);
      for (const name of young) await world.create(name, { gpus: 1, gang: gangOf("young", 4) });
      await world.untilBound(young);
      await world.delete("young-0", "young-1");
      await block(world, 2);
      if (restarts) {
        await world.stopRelay();
        await world.startRelay();
        await world.startScheduler();
      }
      await world.create("older-1", { gpus: 1, gang: older });
      await untilShort(world, "older", 2);
      for (const name of ["young-0", "young-1"]) {
        await world.create(name, { gpus: 1, gang: gangOf("young", 4) });
      }
      await untilShort(world, "young", 2);
      await world.until(
        "it is known that the young gang was whole",
        () =>
          world.policy.made.some(({ body, answer }) =>
            answer && body.units?.some(({ bound, wholeAt }) => bound === 2 && wholeAt === 4)
          ),
      );
      await world.delete("blocker");
      await world.untilBound(young);
      assertEquals(world.bound().sort(), young);
      await world.delete("young-0", "young-1", "young-2", "young-3");
      await world.untilBound(["older-0", "older-1"]);
    },
  );
}

relayTest(
  "a queue whose keys hold for a while is asked about again when they are over, whatever else happens",
  { nodes: { "node-1": 2 }, backfill: "none" },
  async (world) => {
    let first = "default/early";
    let asked = 0;
    world.policy.intercept = async ({ stage, body }, answer) => {
      if (stage !== "queue-sort") return await answer();
      asked++;
      const keys = body.units!.map(({ id }) => ({ id, key: id === first ? "0" : "1" }));
      return Response.json({ keys, askAgainSeconds: 1 });
    };
    await block(world, 2);
    for (const name of ["early", "late"]) {
      for (const member of membersOf(name, 2)) {
        await world.create(member, { gpus: 1, gang: gangOf(name, 2) });
      }
      await untilShort(world, name, 2);
    }
    await world.until("the queue is asked about", () => asked > 0);
    first = "default/late";
    const before = asked;
    await world.until("the queue is asked about again", () => asked > before);
    await world.delete("blocker");
    await world.untilBound(membersOf("late", 2));
    assertEquals(world.bound().sort(), membersOf("late", 2));
  },
);
