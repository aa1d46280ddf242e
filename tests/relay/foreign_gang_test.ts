import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 12 };
const foreign = { schedulerName: "volcano" };

/** What events of that reason say of a pod. */
function eventsOf(world: RelayWorld, name: string): string[] {
  return world.sandbox.server.store.list("events")
    .filter(({ reason, involvedObject }) =>
      reason === "SchedulerMismatch" && (involvedObject as { name: string }).name === name
    ).map(({ message }) => String(message));
}

relayTest(
  "a gang of another scheduler takes no room, no place and no call of the functions, and its pods say whose they are",
  { nodes, backfill: "none" },
  async (world) => {
    const theirs = await world.createGang("theirs", { size: 12, gpus: 1, spec: foreign });
    await world.until(
      "each of its pods says so",
      () => theirs.every((name) => eventsOf(world, name).length === 1),
    );
    assertStringIncludes(eventsOf(world, "theirs-3")[0]!, 'asks for scheduler "volcano"');
    const ours = await world.createGang("ours", { size: 4, gpus: 1 });
    await world.untilBound(ours);
    assert(world.bound().every((name) => ours.includes(name)));
    const asked = world.policy.made.flatMap(({ body }) => body.gangs ?? []);
    assertEquals(asked.filter(({ gang }) => gang.name === "theirs"), []);
    const metrics = await (await fetch(`${world.relay.url}/metrics`)).text();
    assertEquals(metrics.match(/^muster_relay_gangs_waiting\{.*\} [1-9].*$/gm), null);
  },
);

relayTest(
  "pending members of another scheduler are no candidates for room: the gang says which they are, and starts without them",
  { nodes },
  async (world) => {
    const gang = { name: "mixed", minAvailable: 3 };
    await world.create("mixed-0", { gpus: 1, gang });
    await world.create("mixed-1", { gpus: 1, gang, spec: foreign });
    await world.create("mixed-2", { gpus: 1, gang });
    await world.until(
      "a member says so",
      () =>
        whyPending(world.pod("mixed-0"))?.includes(
          'gang default/mixed has 2 of 3 members: pod mixed-1 of scheduler "volcano" is not Muster\'s to place',
        ) ?? false,
    );
    assertEquals((await world.gang("mixed")).reason, "SchedulerMismatch");
    await world.create("mixed-3", { gpus: 1, gang });
    await world.untilBound(["mixed-0", "mixed-2", "mixed-3"]);
  },
);

relayTest(
  "a gang of which only members of another scheduler are left is forgotten, and known again with one of its own",
  { nodes },
  async (world) => {
    const gang = { name: "left", minAvailable: 2 };
    await world.create("left-0", { gpus: 1, gang, spec: foreign });
    await world.create("left-1", { gpus: 1, gang });
    const knows = (name: string) => world.gangs().then((gangs) => gangs.includes(name));
    const saysWhy = (name: string) =>
      world.until(
        "its member says why",
        () => whyPending(world.pod(name))?.includes("1 of 2 members") ?? false,
      );
    await saysWhy("left-1");
    assert(await knows("left"));
    await world.delete("left-1");
    await world.until(
      "the functions are told",
      () => world.policy.made.at(-1)?.answer?.reason === "Gone",
    );
    await world.policy.settled();
    assertEquals(await knows("left"), false);
    await world.create("left-2", { gpus: 1, gang });
    await saysWhy("left-2");
    assert(await knows("left"));
  },
);

relayTest(
  "a member that another scheduler has bound is one of the gang's",
  { nodes },
  async (world) => {
    const gang = { name: "bound", minAvailable: 3 };
    await world.create("bound-0", { gpus: 1, gang, spec: foreign });
    await world.create("bound-1", { gpus: 1, gang });
    await world.create("bound-2", { gpus: 1, gang });
    await world.until(
      "the gang lacks it",
      () => whyPending(world.pod("bound-1"))?.includes("2 of 3 members") ?? false,
    );
    await world.bind("bound-0", "node-1");
    await world.untilBound(["bound-0", "bound-1", "bound-2"]);
  },
);
