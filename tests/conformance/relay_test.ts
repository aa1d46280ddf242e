import { assertEquals } from "@std/assert";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { conditionOf, type Pod } from "../../tools/sandbox/objects.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };

/** Writes into a pod's status, as its scheduler would. */
async function patchStatus(
  world: RelayWorld,
  name: string,
  status: Record<string, unknown>,
): Promise<void> {
  await callApi(`${world.sandbox.url}/api/v1/namespaces/default/pods/${name}/status`, {
    method: "PATCH",
    contentType: STRATEGIC_MERGE,
    body: { status },
  });
}

/** The scheduler's own plugins find no node for a pod. */
async function failFilter(world: RelayWorld, name: string, message: string): Promise<void> {
  await patchStatus(world, name, {
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  });
}

/** Reason of condition PodScheduled. */
function reasonOf(pod: Pod): string | undefined {
  return conditionOf(pod, "PodScheduled")?.reason;
}

/** What a relay wrote about pods beside bindings. */
function written(world: RelayWorld): string[] {
  return world.relay.written
    .filter((write) => !write.endsWith("/binding") && !write.includes("/configmaps/"));
}

relayTest(
  "SP-RJ-1 KO-PO-1 a regular pod that no node can take lets nobody go",
  { nodes },
  async (world) => {
    await world.createHeldGang("gang", { size: 2, gpus: 1 });
    await world.create("regular", { gpus: 9 });
    await world.until(
      "the scheduler says that no node can take it",
      () => whyPending(world.pod("regular"))?.includes("Insufficient nvidia.com/gpu") === true,
    );
    await world.create("other", { gpus: 1 });
    await world.untilBound(["other"]);
    await world.untilBinding(1);
    assertEquals(world.policy.count("postfilter", "unreserve"), 0);
    assertEquals(world.relay.binding, ["gang-0"]);
  },
);

relayTest(
  "SP-BO-2 a gang that can never fit keeps nothing from another one",
  { nodes: { "node-1": 6, "node-2": 2, "node-3": 2, "node-4": 2 } },
  async (world) => {
    await world.createGang("pg1", { size: 6, gpus: 4 });
    await world.until(
      "each of its members is refused",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes("short of")).length === 6,
    );
    await world.untilBound(await world.createGang("pg2", { size: 1, gpus: 2 }));
    assertEquals(world.bound(), ["pg2-0"]);
  },
);

relayTest(
  "KO-PC-2 BUG-16 siblings are told the root cause once in a round, as Unschedulable",
  { nodes, closedSeconds: 60 },
  async (world) => {
    await world.createHeldGang("gang", { size: 3, gpus: 1 });
    await failFilter(world, "gang-2", "0/1 nodes are available: 1 too far.");
    const siblings = ["gang-0", "gang-1"];
    await world.until(
      "both siblings are Unschedulable for the root cause",
      () =>
        siblings.every((name) =>
          reasonOf(world.pod(name)) === "Unschedulable" &&
          whyPending(world.pod(name))?.includes("no node for member gang-2: 0/1 nodes are avail")
        ),
    );
    const told = siblings.map((name) => whyPending(world.pod(name)));
    const writes = written(world).length;
    await failFilter(world, "gang-2", "0/1 nodes are available: 1 too small.");
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
    assertEquals(world.policy.count("postfilter"), 1);
    assertEquals(written(world).length, writes);
    assertEquals(siblings.map((name) => whyPending(world.pod(name))), told);
  },
);

relayTest(
  "BUG-16 every member of a gang that lacks room is Unschedulable",
  { nodes },
  async (world) => {
    await world.createGang("gang", { size: 5, gpus: 1 });
    const pods = await world.until(
      "each member says so",
      (pods) => pods.filter((pod) => whyPending(pod)?.includes("short of")).length === 5,
    );
    assertEquals(new Set(pods.map(reasonOf)), new Set(["Unschedulable"]));
  },
);

relayTest(
  "KO-PC-3 where there is nothing to say nothing is written",
  { nodes, scheduler: false },
  async (world) => {
    const members = await world.createGang("gang", { size: 3, gpus: 1 });
    await world.until(
      "the gang is let in",
      () => world.policy.made.at(-1)?.answer?.verdict === "allow",
    );
    await world.startScheduler();
    await world.untilBound(members);
    await world.untilBinding(0);
    assertEquals(written(world), []);
  },
);

relayTest(
  "KO-PE-6 a member that is nominated to a node passes",
  { nodes, scheduler: false },
  async (world) => {
    const members = await world.createGang("gang", { size: 2, gpus: 1 });
    await world.until(
      "the gang is let in",
      () => world.policy.made.at(-1)?.answer?.verdict === "allow",
    );
    await patchStatus(world, "gang-0", { nominatedNodeName: "node-1" });
    const call = { Pod: world.pod("gang-0"), NodeNames: ["node-1"] };
    assertEquals(call.Pod.status.nominatedNodeName, "node-1");
    assertEquals((await world.call("/extender/filter", call)).answer, { NodeNames: ["node-1"] });
    await world.startScheduler();
    await world.untilBound(members);
  },
);

relayTest(
  "KO-GG-1 BUG-10 a gang stays satisfied while fewer than minMember are left of it",
  { nodes },
  async (world) => {
    const members = await world.createGang("gang", { size: 3, gpus: 1 });
    await world.untilBound(members);
    await world.delete("gang-0", "gang-1");
    const gang = { name: "gang", minAvailable: 3 };
    await world.create("gang-0", { gpus: 1, gang });
    await world.untilBound(["gang-0"]);
    assertEquals(world.bound().sort(), ["gang-0", "gang-2"]);
    await world.create("gang-1", { gpus: 1, gang });
    await world.untilBound(["gang-1"]);
  },
);

/** The samples of one metric, by their labels. */
async function samplesOf(world: RelayWorld, metric: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${world.relay.url}/metrics`)).text();
  const samples = text.split("\n").flatMap((line) => {
    const [, labels = "", value] = new RegExp(`^${metric}(\\{.*\\})? (.+)$`).exec(line) ?? [];
    return value === undefined ? [] : [[labels, Number(value)] as const];
  });
  return Object.fromEntries(samples);
}

relayTest(
  "KO-GG-3 KO-GG-4 a gang with held members is counted once, and its round is timed when it ends",
  { nodes: { "node-1": 8 }, closedSeconds: 60 },
  async (world) => {
    const held = () => samplesOf(world, "muster_relay_held_gangs");
    const rounds = () => samplesOf(world, "muster_relay_round_duration_seconds_count");
    assertEquals(await held(), { "": 0 });
    await world.createHeldGang("a", { size: 3, gpus: 1 });
    assertEquals(await held(), { "": 1 });
    await world.createHeldGang("b", { size: 2, gpus: 1 });
    assertEquals([await held(), await rounds()], [{ "": 2 }, {}]);

    await world.delete("a-0");
    await world.until(
      "the sibling is not held any more, and learns who is missing",
      () =>
        world.relay.binding.length === 1 &&
        whyPending(world.pod("a-1"))?.includes("2 of 3 members") === true,
    );
    assertEquals(await held(), { "": 1 });
    assertEquals((await rounds())['{verdict="reject",reason="MemberLost"}'], 1);

    await world.replaceLast("b", { size: 2, gpus: 1 });
    await world.untilBound(membersOf("b", 2));
    await world.untilBinding(0);
    assertEquals(await held(), { "": 0 });
    assertEquals((await rounds())['{verdict="allow",reason="Satisfied"}'], 1);
  },
);

for (
  const [id, spec] of [
    ["KO-PRE-3 a gang whose members may not preempt", { preemptionPolicy: "Never" }],
    ["KO-PRE-6 a gang in whose way nobody of lower priority is", { priority: 0 }],
  ] as const
) {
  relayTest(`${id} evicts nobody, and says what is short`, { nodes }, async (world) => {
    const low = ["low-0", "low-1", "low-2"];
    for (const name of low) await world.create(name, { gpus: 1 });
    await world.untilBound(low);
    const members = await world.createGang("high", { size: 3, gpus: 1, priority: 10, spec });
    await world.until(
      "each member says what is short",
      () => members.every((name) => whyPending(world.pod(name))?.includes("finds it for 1")),
    );
    assertEquals(world.bound().sort(), low);
    await world.delete("low-0", "low-1");
    await world.untilBound(members);
    assertEquals(world.bound().filter((name) => low.includes(name)), ["low-2"]);
  });
}

relayTest(
  "KO-PRE-7 a gang evicts as many as let all of its members in at once",
  { nodes },
  async (world) => {
    const low = ["low-0", "low-1", "low-2"];
    for (const name of low) await world.create(name, { gpus: 1 });
    await world.untilBound(low);
    await world.untilBound(await world.createGang("high", { size: 3, gpus: 1, priority: 10 }));
    assertEquals(world.bound().filter((name) => low.includes(name)).length, 1);
  },
);
