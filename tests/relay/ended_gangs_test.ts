import { assertEquals } from "@std/assert";
import { kubeTime } from "../../tools/sandbox/objects.ts";
import { setCondition } from "../../tools/sandbox/pod_status.ts";
import type { PolicyCall } from "../support/policy_calls.ts";
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

relayTest(
  "a gang ended when the last container of its members did, whenever they were ready last",
  { nodes: { "node-1": 2 } },
  async (world) => {
    const members = await world.createGang("train", { size: 2, gpus: 1 });
    await world.untilBound(members);
    await world.until("they run", (pods) => pods.every(({ status }) => status.startTime));
    const { store } = world.sandbox.server;
    const after = (seconds: number) =>
      kubeTime(Date.parse(world.pod("train-0").status.startTime!) + seconds * 1000);
    for (const [index, name] of members.entries()) {
      const { status, ...pod } = world.pod(name);
      const conditions = setCondition(status.conditions, {
        type: "Ready",
        status: "False",
        lastTransitionTime: after(10),
      });
      const containerStatuses = [20, 30].map((seconds) => ({
        name: "main",
        state: { terminated: { exitCode: 0, finishedAt: after(seconds + index) } },
      }));
      store.put("pods", {
        ...pod,
        status: { ...status, phase: "Succeeded", conditions, containerStatuses },
      });
    }
    const endOf = ({ body }: PolicyCall) => body.times?.["default/train"]?.endedAt;
    await world.until("it is told", () => world.policy.made.some((call) => endOf(call)));
    const [told] = world.policy.made.flatMap((call) => endOf(call) ?? []);
    assertEquals(told, new Date(after(31)).toISOString());
  },
);
