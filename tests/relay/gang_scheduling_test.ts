import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { ownGate } from "../../shared/kubernetes/counting/census.ts";
import { gangOf, membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };

/** How often the scheduler has asked about a pod. */
async function filterCalls({ relay }: RelayWorld): Promise<number> {
  const text = await (await fetch(`${relay.url}/metrics`)).text();
  const counts = text.matchAll(/^muster_relay_extender_calls_total\{verb="filter".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

relayTest(
  "a gang that does not fit waits whole, each pod with a reason, and starts when a node comes",
  { nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    const members = await world.createGang("tf-smoke", { size: 5, gpus: 2 });
    const pods = await world.until(
      "every pod names what is short",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes("short of")).length === 5,
    );
    assertEquals(world.bound(), []);
    for (const pod of pods) {
      const why = whyPending(pod) ?? "";
      assert(
        why.includes("gang default/tf-smoke needs room for 5 more members and finds it for 2"),
        why,
      );
    }
    await world.sandbox.addNode({ name: "node-3", gpus: 6 });
    await world.untilBound(members);
  },
);

for (
  const [what, options, sentence] of [
    ["a member asks for more than any node has", { size: 1, gpus: 8 }, [
      "a member asks for 8 nvidia.com/gpu",
      "the largest node that it may run on has 4",
    ]],
    ["a gang asks for more than all nodes have", { size: 14, gpus: 1 }, [
      "they ask for 14 nvidia.com/gpu",
      "all nodes that they may run on have 12",
    ]],
  ] as const
) {
  relayTest(
    `where ${what}, its pods say both numbers, autoscalers see it, and nobody waits behind it`,
    { nodes: { "node-1": 4, "node-2": 4, "node-3": 4 }, backfill: "none" },
    async (world) => {
      await world.create("full", { gpus: 4 });
      await world.untilBound(["full"]);
      const spec = { schedulingGates: [{ name: ownGate }] };
      const names = await world.createGang("big", { ...options, spec });
      await world.until(
        "its members say so",
        () =>
          names.every((name) =>
            [...sentence, "waiting does not help"]
              .every((text) => whyPending(world.pod(name))?.includes(text))
          ),
      );
      for (const name of names) {
        const scheduled = world.pod(name).status.conditions
          ?.find(({ type }) => type === "PodScheduled");
        assertEquals(scheduled?.reason, "Unschedulable");
      }
      await world.untilBound(await world.createGang("next", { size: 8, gpus: 1 }));
      await world.sandbox.addNode({ name: "large", gpus: 16 });
      await world.untilBound(names);
    },
  );
}

relayTest(
  "of two gangs that each need more than half of the cluster one starts, and the other when that one is deleted",
  { nodes: { "node-1": 4, "node-2": 4 } },
  async (world) => {
    for (const index of [0, 1, 2]) {
      for (const name of ["a", "b"]) {
        await world.create(`${name}-${index}`, { gpus: 2, gang: { name, minAvailable: 3 } });
      }
    }
    const pods = await world.until(
      "one gang is bound and each member of the other says why it waits",
      (pods) =>
        world.bound().length === 3 &&
        pods.filter((pod) => !pod.spec.nodeName && whyPending(pod)?.includes("Muster: gang"))
            .length === 3,
    );
    const whole = new Set(pods.filter((pod) => pod.spec.nodeName).map((pod) => gangOf(pod)?.id));
    assertEquals(whole.size, 1);
    const [first, second] = whole.has("default/a") ? ["a", "b"] as const : ["b", "a"] as const;
    await world.delete(...membersOf(first, 3));
    await world.untilBound(membersOf(second, 3));
  },
);

relayTest(
  "BUG-4 a gang short of a member holds no room, and starts when the member is created",
  // One that had been closed for what it lacked would not start while anybody looks.
  { nodes: { "node-1": 4, "node-2": 4 }, closedSeconds: 3600 },
  async (world) => {
    const gang = { name: "late", minAvailable: 4 };
    for (const name of membersOf("late", 3)) await world.create(name, { gpus: 2, gang });
    await world.until(
      "three members say that others are missing",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes("of 4 members")).length === 3,
    );
    await world.create("regular-1", { gpus: 4 });
    await world.create("regular-2", { gpus: 4 });
    await world.untilBound(["regular-1", "regular-2"]);
    await world.delete("regular-1", "regular-2");
    const before = await filterCalls(world);
    await world.create("late-3", { gpus: 2, gang });
    await world.untilBound(membersOf("late", 4));
    const tried = await filterCalls(world) - before;
    assertLessOrEqual(tried, 2 * 4, "calls for four members once the last one was there");
  },
);

relayTest(
  "BUG-6 a gang that is not whole in its time lets its room go, and the gang behind it starts",
  { nodes: { "node-1": 3 } },
  async (world) => {
    const annotations = { "gang.scheduling.koordinator.sh/waiting-time": "1s" };
    await world.createHeldGang("first", { size: 3, gpus: 1, annotations });
    await world.untilBound(await world.createGang("second", { size: 2, gpus: 1 }));
    assertEquals(world.bound().sort(), membersOf("second", 2));
    assert(world.policy.made.some(({ answer }) => answer?.reason === "TimedOut"));
  },
);

for (
  const [what, minAvailable, message] of [
    ["short of a member", 3, "2 of 3 members"],
    ["whose quorum is no number", "two", "no usable quorum"],
  ] as const
) {
  relayTest(`a gang ${what} keeps no room from a gang behind it`, { nodes }, async (world) => {
    await world.createGang("first", { size: 2, minAvailable, gpus: 1 });
    await world.until(
      "the first gang is rejected",
      () => world.policy.made.at(-1)?.answer?.message?.includes(message) === true,
    );
    await world.untilBound(await world.createGang("second", { size: 2, gpus: 2 }));
  });
}

relayTest(
  "members beyond the quorum bind one by one, as there is room for them",
  { nodes: { "node-1": 3 } },
  async (world) => {
    await world.createGang("elastic", { size: 4, minAvailable: 2, gpus: 1 });
    await world.until("three members are bound", () => world.bound().length === 3);
    await world.sandbox.addNode({ name: "node-2", gpus: 1 });
    await world.untilBound(membersOf("elastic", 4));
  },
);

relayTest(
  "SP-PF-1 SP-PM-1 KO-PE-1 KO-PM-1 a regular pod is bound without a call to the functions",
  { nodes: { "node-1": 1 } },
  async (world) => {
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
    assertEquals(world.policy.count(), 0);
  },
);

for (const size of [2, 16, 128]) {
  relayTest(
    `a gang of ${size} costs a number of calls and writes that does not depend on its size`,
    { nodes: { "node-1": 64, "node-2": 64 }, scheduler: false },
    async (world) => {
      const startedAt = performance.now();
      const members = await world.createGang("counted", { size, gpus: 1 });
      await world.until(
        "the relay has let the gang in",
        () => world.policy.made.at(-1)?.answer?.verdict === "allow",
      );
      await world.startScheduler();
      await world.untilBound(members);
      await world.untilBinding(0);
      // While pods are created one after another, a batch is looked at when it may change the verdict.
      // What changed only in number is reported once a second.
      const reports = Math.ceil((performance.now() - startedAt) / 1000);
      assertLessOrEqual(world.policy.count("prefilter"), 3 + reports);
      assertLessOrEqual(world.policy.count("permit"), 3);
      assertLessOrEqual(world.policy.count(), 6 + reports);
      const others = world.relay.written.filter((write) => !write.endsWith("/binding"));
      assertLessOrEqual(others.length, 2, others.join("\n"));
      assert(world.policy.count("permit") > 0, "the functions were asked");
    },
  );
}

relayTest(
  "BUG-19 a member for a scheduler that the relay does not serve is told so",
  { nodes },
  async (world) => {
    const gang = { name: "lost", minAvailable: 2 };
    await world.create("lost-0", { gpus: 1, gang });
    await world.create("lost-1", { gpus: 1, gang, spec: { schedulerName: "elsewhere" } });
    await world.until(
      "an event says so",
      () =>
        world.sandbox.server.store.list("events").some(({ reason }) =>
          reason === "SchedulerMismatch"
        ),
    );
    const event = world.sandbox.server.store.list("events")
      .find(({ reason }) => reason === "SchedulerMismatch");
    assertEquals((event?.involvedObject as { name: string }).name, "lost-1");
    assert(
      String(event?.message).includes('asks for scheduler "elsewhere"'),
      String(event?.message),
    );
  },
);

relayTest(
  "a member whose labels are taken away has left its gang, and becomes one again with them",
  { nodes: { "node-1": 3 } },
  async (world) => {
    const gang = { name: "left", minAvailable: 3 };
    for (const name of membersOf("left", 2)) await world.create(name, { gpus: 1, gang });
    const labels = world.pod("left-1").metadata.labels!;
    await world.label("left-1", Object.fromEntries(Object.keys(labels).map((key) => [key, null])));
    await world.untilBound(["left-1"]);
    await world.create("left-2", { gpus: 1, gang });
    await world.until(
      "the gang lacks one",
      () => world.policy.made.at(-1)?.answer?.message?.includes("2 of 3 members") ?? false,
    );
    await world.label("left-1", labels);
    await world.untilBound(membersOf("left", 3));
  },
);

relayTest(
  "a gang that is created anew at once is not let in by the verdict of its predecessor",
  { nodes: { "node-1": 2 } },
  async (world) => {
    const { store } = world.sandbox.server;
    const names = await world.createGang("train", { size: 2, gpus: 1 });
    await world.untilBound(names);
    const pods = names.map((name) => world.pod(name));
    const node = store.list("nodes")[0]!;
    const { allocatable } = node.status as { allocatable: Record<string, string> };
    store.put("nodes", {
      ...node,
      status: { allocatable: { ...allocatable, "nvidia.com/gpu": "1" } },
    });
    // As one change to whoever watches.
    for (const pod of pods) store.remove("pods", pod);
    for (const { metadata, spec: { nodeName: _, ...spec }, ...pod } of pods) {
      const renewed = { ...metadata, uid: crypto.randomUUID() };
      store.put("pods", { ...pod, metadata: renewed, spec, status: { phase: "Pending" } });
    }
    await world.until(
      "both say that there is too little room",
      () => names.every((name) => whyPending(world.pod(name))?.includes("needs room for 2 more")),
    );
    assertEquals(world.policy.count("postfilter", "unreserve"), 0, "none was held");
  },
);
