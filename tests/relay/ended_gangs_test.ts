import { assertEquals } from "@std/assert";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

/** How a gang ended, once the functions have heard of so many ends. */
async function howEnded(world: RelayWorld, gang: string, ends: number): Promise<string> {
  await world.until(
    `${gang} is gone`,
    () => world.policy.made.filter(({ answer }) => answer?.reason === "Gone").length >= ends,
  );
  const { ended } = await world.gang(gang) as unknown as { ended: { message: string } };
  return ended.message;
}

relayTest(
  "the story of a gang that is gone says how it ended, and by whom it was preempted",
  { nodes: { "node-1": 2 } },
  async (world) => {
    await world.untilBound(await world.createGang("low", { size: 1, gpus: 2 }));
    const high = await world.createGang("high", { size: 1, gpus: 2, priority: 10 });
    await world.untilBound(high);
    assertEquals(
      await howEnded(world, "low", 1),
      "gang default/low ended: 1 member was preempted by gang default/high of higher priority",
    );
    await world.delete(...high);
    assertEquals(
      await howEnded(world, "high", 2),
      "gang default/high ended while it ran: its pods were deleted",
    );
    const early = await world.createGang("early", { size: 1, minAvailable: 2 });
    await world.until(
      "it waits",
      () => world.policy.made.at(-1)?.answer?.reason === "MembersMissing",
    );
    await world.delete(...early);
    assertEquals(
      await howEnded(world, "early", 3),
      "gang default/early ended before it started: its pods were deleted",
    );
    assertEquals(await world.gangs(), []);
  },
);
