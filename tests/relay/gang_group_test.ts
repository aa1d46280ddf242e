import { assertEquals } from "@std/assert";
import { type Decisions, decisions } from "../../shared/core/attend/decisions.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { idleScheduler } from "../support/relay_process.ts";
import { relayTest } from "../support/relay_world.ts";

const groups = ["default/first", "default/second"];

relayTest(
  "members beyond minMember leave their room to the other gang of the group, and bind when the group is whole",
  { nodes: { "node-1": 3 } },
  async (world) => {
    // Nobody tries the other gang's members, so that this one has all the time it wants.
    const spec = { schedulerName: idleScheduler };
    const second = await world.createGang("second", { size: 2, groups, gpus: 1, spec });
    const first = await world.createGang("first", { size: 3, minAvailable: 1, groups, gpus: 1 });
    const sentence =
      "gang default/first needs no more members before gang default/second of its group is whole";
    await world.until(
      "one member is held and the others leave their room",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes(sentence)).length === 2,
    );
    await world.untilBinding(1);
    await world.delete(...second);
    await world.createGang("second", { size: 2, groups, gpus: 1 });
    await world.until(
      "the group is whole",
      () => second.every((name) => world.bound().includes(name)) && world.bound().length === 3,
    );
    await world.sandbox.addNode({ name: "node-2", gpus: 2 });
    await world.untilBound(first);
  },
);

relayTest(
  "a gang that was in conflict waits for the other gang once that one is deleted, and is whole when it comes anew",
  { nodes: { "node-1": 4 } },
  async (world) => {
    const says = (text: string) =>
      world.until(
        `each member of the first gang says "${text}"`,
        (pods) => pods.filter((pod) => whyPending(pod)?.includes(text)).length === 2,
      );
    const alone = await world.createGang("second", { size: 2, minAvailable: 3, gpus: 1 });
    const first = await world.createGang("first", { size: 2, groups, gpus: 1 });
    await says("declare the same gang group on both");
    await world.delete(...alone);
    await says("the gang group waits for default/second: no pods of it exist yet");
    const { reason } = await world.gang("first");
    assertEquals(reason, "GroupIncomplete");
    await world.createGang("second", { size: 2, groups, gpus: 1 });
    await world.untilBound([...first, ...membersOf("second", 2)]);
  },
);

/** Groups that heard that something may be declared otherwise. */
const heard: string[] = [];
const listening: Decisions = {
  ...decisions,
  advance: (attended, event, now) => {
    if (event.is === "declared") heard.push(attended.id);
    return decisions.advance(attended, event, now);
  },
};

relayTest(
  "a gang that names another hears of that one's pods what they declare, and nothing else",
  { nodes: { "node-1": 4 }, decisions: listening },
  async (world) => {
    await world.createGang("second", { size: 1, minAvailable: 2, gpus: 1 });
    await world.createGang("first", { size: 1, groups, gpus: 1 });
    await world.until(
      "the first gang hears of the second",
      () => whyPending(world.pod("first-0"))?.includes("on both") ?? false,
    );
    const hears = async (labels: Record<string, string>) => {
      heard.length = 0;
      await world.label("second-0", labels);
      // What the watch shows later is known later.
      const regular = await world.create(`after-${Object.keys(labels).length}`, {});
      await world.untilBound([regular.metadata.name]);
      return heard.includes(groups.join());
    };
    assertEquals(await hears({ flip: "1" }), false);
    const quorum = { "pod-group.scheduling.sigs.k8s.io/min-available": "3", flip: "2" };
    assertEquals(await hears(quorum), true);
  },
);
