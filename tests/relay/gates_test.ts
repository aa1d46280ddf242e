import { assertEquals, assertLessOrEqual, assertStringIncludes } from "@std/assert";
import { ownGate } from "../../shared/kubernetes/counting/census.ts";
import { STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import { conditionOf, type Pod } from "../../tools/sandbox/objects.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const gated = { spec: { schedulingGates: [{ name: ownGate }] } };

function gatesOf(pod: Pod): string[] {
  return (pod.spec.schedulingGates ?? []).map(({ name }) => name);
}

async function ungate(world: RelayWorld, pod: string, gate: string): Promise<void> {
  const response = await fetch(`${world.sandbox.url}/api/v1/namespaces/default/pods/${pod}`, {
    method: "PATCH",
    headers: { "content-type": "application/strategic-merge-patch+json" },
    body: JSON.stringify({ spec: { schedulingGates: [{ $patch: "delete", name: gate }] } }),
  });
  assertEquals(response.status, 200, await response.text());
}

/** Names of the gangs in the order in which their first gate was removed. */
function releases(world: RelayWorld): string[] {
  const gangs: string[] = [];
  world.sandbox.server.store.subscribe(({ object, storage }) => {
    const pod = object as unknown as Pod;
    if (storage !== "pods" || gatesOf(pod).length > 0) return;
    const gang = pod.metadata.name.replace(/-\d+$/, "");
    if (!gangs.includes(gang)) gangs.push(gang);
  });
  return gangs;
}

relayTest(
  "a gated gang keeps its gates until it is whole and has room, then starts",
  { nodes: { "node-1": 2 } },
  async (world) => {
    const gang = { name: "born", minAvailable: 3 };
    for (const name of membersOf("born", 2)) await world.create(name, { gpus: 1, gang, ...gated });
    await world.until(
      "the gang is rejected for its count",
      () => world.policy.made.at(-1)?.answer?.reason === "MembersMissing",
    );
    await world.create("born-2", { gpus: 1, gang, ...gated });
    await world.until(
      "the gang is rejected for its room",
      () => world.policy.made.at(-1)?.answer?.reason === "InsufficientResources",
    );
    assertEquals(world.sandbox.pods().map(gatesOf), Array(3).fill([ownGate]));
    await world.sandbox.addNode({ name: "node-2", gpus: 1 });
    await world.untilBound(membersOf("born", 3));
  },
);

relayTest(
  "a pod behind Muster's gate that is in no gang, or is not any more, waits for nothing there",
  { nodes: { "node-1": 2 } },
  async (world) => {
    const lone = { labels: { "pod-group.scheduling.sigs.k8s.io/name": "" }, ...gated };
    await world.create("lone", lone);
    await world.untilBound(["lone"]);
    const denied = Promise.withResolvers<void>();
    world.sandbox.server.intercept = ({ method, url }) => {
      if (method !== "PATCH" || !url.includes("/pods/later")) return undefined;
      denied.resolve();
      world.sandbox.server.intercept = () => undefined;
      return Promise.resolve(new Response("{}", { status: 500 }));
    };
    await world.create("later", gated);
    await denied.promise;
    await world.untilBound(["later"]);
    await world.stopRelay();
    await world.create("found", gated);
    await world.startRelay();
    await world.startScheduler();
    await world.untilBound(["found"]);
  },
);

relayTest(
  "gates of others stay, and hold the gang back",
  { nodes: { "node-1": 2 } },
  async (world) => {
    const gang = { name: "foreign", minAvailable: 2 };
    const spec = { schedulingGates: [{ name: ownGate }, { name: "example.com/quota" }] };
    await world.create("foreign-0", { gpus: 1, gang, ...gated });
    await world.create("foreign-1", { gpus: 1, gang, spec });
    await world.until(
      "the gang is rejected for the other gate",
      () => world.policy.made.at(-1)?.answer?.reason === "MembersGated",
    );
    await ungate(world, "foreign-1", "example.com/quota");
    await world.untilBound(membersOf("foreign", 2));
  },
);

relayTest(
  "gated gangs are released one whole gang after another, by priority and then by age",
  { nodes: {} },
  async (world) => {
    const sizes = { "low": 1, "old": 3, "young": 2, "high": 2 };
    const priorities: Record<string, number> = { low: 1, old: 5, young: 5, high: 9 };
    for (const [name, size] of Object.entries(sizes)) {
      await world.createGang(name, { size, gpus: 1, priority: priorities[name]!, ...gated });
    }
    await world.until(
      "every gang has been asked about",
      () =>
        Object.keys(sizes).every((name) =>
          world.policy.made.some(({ answer }) =>
            answer?.reason === "InsufficientResources" &&
            answer.message?.includes(`default/${name} `)
          )
        ),
    );
    const released = releases(world);
    await world.sandbox.addNode({ name: "node-1", gpus: 8 });
    await world.untilBound(Object.entries(sizes).flatMap(([name, size]) => membersOf(name, size)));
    assertEquals(released, ["high", "old", "young", "low"]);
  },
);

for (
  const [size, whom, create] of [
    [2, "other gang", (world: RelayWorld) => world.createGang("other", { size: 2, ...gated })],
    [70, "pod without a gang", (world: RelayWorld) => world.create("other-0")],
  ] as const
) {
  relayTest(
    `gates of ${size} members that the API server is slow to remove keep no ${whom} waiting`,
    { nodes: { "node-1": 100 } },
    async (world) => {
      const [begun, asked] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
      let slow = 0;
      // As where it asks a webhook of one namespace, which does not answer.
      world.sandbox.server.intercept = ({ method, url }) => {
        const isSlow = method === "PATCH" && url.includes("/pods/slow-");
        if (isSlow && ++slow === Math.min(size, 64)) begun.resolve();
        return isSlow ? asked.promise : undefined;
      };
      try {
        await world.createGang("slow", { size, gpus: 1, ...gated });
        await begun.promise;
        await create(world);
        await world.untilBound(["other-0"]);
      } finally {
        asked.resolve(undefined);
      }
      await world.untilBound(membersOf("slow", size));
    },
  );
}

relayTest(
  "a gated gang that the functions do not answer keeps no other gang waiting",
  { nodes: { "node-1": 100 } },
  async (world) => {
    const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let tries = 0;
    world.policy.intercept = async ({ body: { gangs } }, answer) => {
      if (gangs?.some(({ gang }) => gang.name === "first")) {
        tries++;
        begun.resolve();
        await answered.promise;
      }
      return await answer();
    };
    try {
      await world.createGang("first", { size: 2, gpus: 1, ...gated });
      await begun.promise;
      await world.createGang("second", { size: 2, ...gated });
      await world.untilBound(membersOf("second", 2));
      assertEquals(tries, 1, "they do not wait until the relay asks again");
    } finally {
      answered.resolve();
    }
    await world.untilBound(membersOf("first", 2));
  },
);

relayTest(
  "a gated gang that waits says so on its pods, and for lack of room as Unschedulable",
  { nodes: { "node-1": 1 } },
  async (world) => {
    await world.createGang("told", { size: 2, gpus: 1, ...gated });
    const pods = await world.until(
      "both pods say why they wait",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("short of nvidia.com/gpu")),
    );
    for (const pod of pods) {
      assertEquals(pod.status.conditions?.map(({ reason }) => reason), ["Unschedulable"]);
      assertStringIncludes(whyPending(pod)!, "Muster: gang default/told needs room for 2");
    }
  },
);

/** Events about pods, as `pod: type reason message`. */
function events(world: RelayWorld): string[] {
  return world.sandbox.server.store.list("events").map((event) => {
    const { name } = event.involvedObject as { name: string };
    return `${name}: ${event.type} ${event.reason} ${event.message}`;
  }).sort();
}

relayTest(
  "each member behind the gate has an event that says why, one for each reason, also of a relay that comes later",
  { nodes: { "node-1": 1 } },
  async (world) => {
    const gang = { name: "told", minAvailable: 3 };
    for (const name of membersOf("told", 2)) await world.create(name, { gpus: 1, gang, ...gated });
    const missing = "Warning MembersMissing gang default/told has 2 of 3 members: waiting for 1 " +
      "more pod to be created";
    await world.until("both say that one is missing", () => events(world).length === 2);
    assertEquals(events(world), [`told-0: ${missing}`, `told-1: ${missing}`]);
    const behind = (pod: Pod) => whyPending(pod)?.includes("has 2 of 3") === true;
    await world.until("and their conditions", (pods) => pods.every(behind));
    await world.stopRelay();
    await world.startRelay();
    await world.create("told-2", { gpus: 1, gang, ...gated });
    const found = (names: readonly string[]) => {
      const said = events(world).filter((event) => event.includes(" InsufficientResources "));
      return said.length === names.length && names.every((name) => said.join().includes(name));
    };
    await world.until("all say that there is no room", () => found(membersOf("told", 3)));
    assertEquals(events(world).length, 5);
  },
);

relayTest(
  "a gated member of a gang of which another one found no node is Unschedulable too",
  { nodes: { "node-1": 4 }, closedSeconds: 60 },
  async (world) => {
    await world.createHeldGang("gang", { size: 3, gpus: 1 });
    // The scheduler of the last member is the test.
    const message = "0/1 nodes are available: 1 too far.";
    await world.sayUnschedulable("gang-2", message);
    await world.untilBinding(0);
    await world.create("gang-3", { gpus: 1, gang: { name: "gang", minAvailable: 3 }, ...gated });
    await world.until(
      "the new member says why",
      () => whyPending(world.pod("gang-3"))?.includes("no node for member gang-2") === true,
    );
    assertEquals(conditionOf(world.pod("gang-3"), "PodScheduled")?.reason, "Unschedulable");
  },
);

relayTest(
  "a relay that starts anew releases what it finds gated",
  { nodes: {} },
  async (world) => {
    await world.createGang("found", { size: 2, gpus: 1, ...gated });
    await world.stopRelay();
    await world.sandbox.addNode({ name: "node-1", gpus: 2 });
    await world.startRelay();
    await world.startScheduler();
    await world.untilBound(membersOf("found", 2));
  },
);

relayTest(
  "a relay that starts leaves the gate's switch alone until it knows the pods",
  { nodes: {} },
  async (world) => {
    await world.createGang("found", { size: 2, gpus: 1, ...gated });
    await world.stopRelay();
    const told: string[] = [];
    const planned = Promise.withResolvers<void>();
    // What is planned as soon as the first node is known is written before the kinds are, if they come this late.
    const late = setTimeout(planned.resolve, 200);
    world.sandbox.server.intercept = async ({ method, url }) => {
      const { pathname } = new URL(url);
      if (pathname === "/apis") await planned.promise;
      if (pathname === "/api/v1/pods") told.push("the pods");
      if (method === "PATCH" && pathname.endsWith("/muster-gate")) {
        told.push("the switch");
        planned.resolve();
      }
      return undefined;
    };
    await world.sandbox.addNode({ name: "node-1", gpus: 1 });
    await world.startRelay();
    await world.until("the switch is written", () => told.includes("the switch"));
    clearTimeout(late);
    assertEquals(told[0], "the pods");
  },
);

relayTest(
  "a gate that can not be removed is tried again, also where its pod changes meanwhile",
  { nodes: { "node-1": 2 } },
  async (world) => {
    let refusals = 0;
    world.sandbox.server.intercept = ({ method, url, headers }) => {
      const isUngating = headers.get("content-type") === STRATEGIC_MERGE;
      if (method !== "PATCH" || !isUngating || !url.includes("/pods/again-1")) return undefined;
      if (refusals === 6) return undefined;
      refusals++;
      return Response.json({ message: "etcd is on its knees" }, { status: 500 });
    };
    await world.createGang("again", { size: 2, gpus: 1, ...gated });
    await world.until("its gate could not be removed", () => refusals > 0);
    await world.label("again-1", { note: "changed" });
    await world.untilBound(membersOf("again", 2));
    assertEquals(refusals, 6);
  },
);

relayTest(
  "a gate that can not be removed holds up no other gang",
  { nodes: { "node-1": 4 } },
  async (world) => {
    world.sandbox.server.intercept = ({ method, url, headers }) => {
      const isUngating = headers.get("content-type") === STRATEGIC_MERGE;
      if (method !== "PATCH" || !isUngating || !url.includes("/pods/stuck-1")) return undefined;
      return Response.json({ message: "denied" }, { status: 403 });
    };
    await world.createGang("stuck", { size: 2, gpus: 1, priority: 9, ...gated });
    await world.until(
      "a member of it is released, the other is not",
      () => gatesOf(world.pod("stuck-0")).length === 0,
    );
    await world.createGang("behind", { size: 2, gpus: 1, ...gated });
    await world.untilBound(membersOf("behind", 2));
    assertEquals(gatesOf(world.pod("stuck-1")), [ownGate]);
  },
);

relayTest(
  "gates that the API server refuses to remove keep room from nobody for long, and are tried ever more seldom",
  { nodes: { "node-1": 2 } },
  async (world) => {
    let refused = 0;
    world.sandbox.server.intercept = ({ method, url, headers }) => {
      const isUngating = headers.get("content-type") === STRATEGIC_MERGE;
      if (method !== "PATCH" || !isUngating || !url.includes("/pods/stuck-")) return undefined;
      refused++;
      return Response.json({ message: "denied" }, { status: 403 });
    };
    await world.createGang("stuck", { size: 2, gpus: 1, priority: 9, ...gated });
    await world.until("its gates could not be removed", () => refused > 0);
    await world.createGang("behind", { size: 2, gpus: 1, ...gated });
    await world.untilBound(membersOf("behind", 2));
    const tries = refused / 2;
    assertLessOrEqual(tries, 6);
    const said = events(world).filter((event) => event.includes("GateNotRemoved"));
    assertEquals(said.length, 2);
    assertStringIncludes(said[0]!, "its scheduling gate can not be removed: denied");
    const sentence = "; the API server refuses to remove Muster's scheduling gates";
    await world.until(
      "the gang says so",
      () => world.policy.made.some(({ answer }) => answer?.message?.includes(sentence)),
    );
    assertStringIncludes((await world.gang("stuck")).message, sentence);
  },
);

for (const isOptIn of [false, true]) {
  relayTest(
    `members without the gate are ${
      isOptIn ? "missed nowhere where admission is opt-in" : "missed"
    }`,
    { nodes: { "node-1": 1 }, isOptIn },
    async (world) => {
      const written: string[] = [];
      world.sandbox.server.intercept = async (request) => {
        if (request.method !== "PATCH" || !request.url.endsWith("/muster-gate")) return undefined;
        written.push(await request.text());
        return Response.json({});
      };
      await world.createGang("queues", { size: 2, gpus: 1 });
      await world.until("the switch is on", () => written.at(-1)?.includes('"on"') ?? false);
      await world.createGang("follows", { size: 2, gpus: 1 });
      await world.until(
        "it waits",
        () => world.log.some((line) => line.includes("gang default/follows")),
      );
      const text = await (await fetch(`${world.relay.url}/metrics`)).text();
      const [, count] = /^muster_relay_members_without_gate_total (\d+)$/m.exec(text)!;
      assertEquals(Number(count), isOptIn ? 0 : 2);
    },
  );
}
