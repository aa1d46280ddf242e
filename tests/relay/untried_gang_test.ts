import { assertEquals } from "@std/assert";
import { idleScheduler } from "../support/relay_process.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 2, "node-2": 2 };
/** The scheduler of these is there for Muster, and tries nobody. */
const untried = { size: 4, gpus: 1, spec: { schedulerName: idleScheduler } };

/** What was answered about a gang, first to last. */
function toldOf({ policy }: RelayWorld, gang: string): string[] {
  return policy.made.flatMap(({ answer }) => answer?.message ?? [])
    .filter((message) => message.includes(gang));
}

relayTest(
  "a gang that the scheduler does not try gives its place to others, and says so",
  { nodes },
  async (world) => {
    await world.createGang("untried", untried);
    await world.until("it is let in", () => toldOf(world, "default/untried").length > 0);
    const next = await world.createGang("next", { size: 4, gpus: 1 });
    await world.untilBound(next);
    const said = toldOf(world, "default/untried").map((message) => message.split(":")[0]);
    assertEquals(said.slice(0, 2), [
      "gang default/untried may be scheduled",
      "gang default/untried may be scheduled, but the scheduler has not tried its members",
    ]);
    await world.delete(...next);
    await world.createGang("third", { size: 4, gpus: 1 }).then((names) => world.untilBound(names));
  },
);

relayTest("nobody leaves for a gang that the scheduler does not try", { nodes }, async (world) => {
  await world.createGang("low", { size: 4, gpus: 1 }).then((names) => world.untilBound(names));
  await world.createGang("untried", { ...untried, priority: 10 });
  await world.until("it is judged", () => toldOf(world, "default/untried").length > 0);
  assertEquals(toldOf(world, "default/untried"), [
    "gang default/untried needs room for 4 more members and finds it for 0: short of nvidia.com/gpu",
  ]);
  await world.createGang("tried", { size: 4, gpus: 1, priority: 5 })
    .then((names) => world.untilBound(names));
});
