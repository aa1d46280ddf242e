import { assert, assertEquals, assertMatch } from "@std/assert";
import { callApi } from "../../tools/sandbox/api_client.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

/** Pods that the relay evicted, in order. */
function evicted({ sandbox }: RelayWorld): string[] {
  return sandbox.server.audit
    .filter(({ verb, code }) => verb === "evict" && code === 201)
    .map(({ path }) => path.split("/").at(-2)!);
}

/** Pods that the scheduler deleted. */
function deleted({ sandbox }: RelayWorld): string[] {
  return sandbox.server.audit.filter(({ verb }) => verb === "delete")
    .map(({ path }) => path.split("/").at(-1)!);
}

/** Says how many pods labelled `app=kept` may leave. */
async function putBudget({ sandbox }: RelayWorld, disruptionsAllowed: number): Promise<void> {
  const path = `${sandbox.url}/apis/policy/v1/namespaces/default/poddisruptionbudgets`;
  await callApi(path, {
    method: "POST",
    body: {
      metadata: { name: "kept" },
      spec: { selector: { matchLabels: { app: "kept" } } },
      status: { disruptionsAllowed },
    },
  });
}

relayTest(
  "a gang evicts at once what is in the way of all of its members, and the scheduler evicts nobody",
  { nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    for (const name of ["a", "b", "c", "d"]) await world.create(name, { gpus: 1 });
    await world.untilBound(["a", "b", "c", "d"]);
    const members = await world.createGang("high", { size: 3, gpus: 1, priority: 10 });
    await world.untilBound(members);
    assertEquals(evicted(world).length, 3);
    assertEquals(deleted(world), []);
  },
);

relayTest(
  "nobody is evicted for a gang that would not become whole by it",
  { nodes: { "node-1": 2 } },
  async (world) => {
    await world.create("low", { gpus: 1 });
    await world.untilBound(["low"]);
    const members = await world.createGang("high", { size: 3, gpus: 1, priority: 10 });
    await world.until(
      "its members are told",
      () => members.every((name) => whyPending(world.pod(name))?.includes("short of")),
    );
    await world.create("tiny", { gpus: 1 });
    await world.untilBound(["tiny"]);
    assertEquals(evicted(world), []);
  },
);

/** Sets finalizers of a pod: one that has some stays until they are gone. */
async function finalize({ sandbox }: RelayWorld, pod: string, by: string[] | null): Promise<void> {
  await callApi(`${sandbox.url}/api/v1/namespaces/default/pods/${pod}`, {
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: { metadata: { finalizers: by } },
  });
}

relayTest(
  "while pods leave, the gang is told who does and is nominated to their room, which nobody else gets",
  { nodes: { "node-1": 2 } },
  async (world) => {
    await world.create("low", { gpus: 2, spec: {} });
    await world.untilBound(["low"]);
    await finalize(world, "low", ["test/stays"]);
    const members = await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.until(
      "its members are nominated",
      () => members.every((name) => world.pod(name).status.nominatedNodeName === "node-1"),
    );
    assertMatch(
      world.policy.made.at(-1)!.answer!.message!,
      /finds it for 0: short of nvidia.com\/gpu; 1 pod of lower priority leaves for it: default\/low$/,
    );
    const others = await world.createGang("other", { size: 2, gpus: 1, priority: 5 });
    await finalize(world, "low", null);
    await world.untilBound(members);
    assert(others.every((name) => !world.pod(name).spec.nodeName));
    assertEquals(evicted(world), ["low"]);
  },
);

for (const starts of ["that has run on", "that starts meanwhile"]) {
  relayTest(
    `while pods leave for gangs of one priority, a relay ${starts} keeps the room of each from the other, and evicts nobody else`,
    { nodes: { "node-1": 2, "node-2": 2 } },
    async (world) => {
      const low = ["a", "b", "c", "d"];
      for (const name of low) await world.create(name, { gpus: 1 });
      await world.untilBound(low);
      for (const name of low) await finalize(world, name, ["test/stays"]);
      const members = await world.createGang("high", { size: 3, gpus: 1, priority: 10 });
      await world.until("three leave", () => evicted(world).length === 3);
      const left = evicted(world);
      await world.until(
        "its members are nominated",
        () => members.every((name) => world.pod(name).status.nominatedNodeName !== undefined),
      );
      let since = 0;
      if (starts === "that starts meanwhile") {
        await world.killRelay();
        await world.startRelay();
        since = world.policy.made.length;
      }
      const next = await world.createGang("next", { size: 1, gpus: 1, priority: 10 });
      await world.until("one leaves for the other gang", () => evicted(world).length === 4);
      for (const [index, name] of left.entries()) {
        const names = left.slice(index).sort().map((name) => `default/${name}`);
        await world.until(
          `its gang is told of ${names.join()}`,
          () =>
            world.policy.made.slice(since)
              .some(({ answer }) => answer?.message?.endsWith(`for it: ${names.join(", ")}`)),
        );
        await finalize(world, name, null);
      }
      await world.untilBound(members);
      await finalize(world, low.find((name) => !left.includes(name))!, null);
      await world.untilBound(next);
      assertEquals(evicted(world).sort(), low);
    },
  );
}

relayTest(
  "a running gang that is in the way leaves as a whole, wherever its members run, and its story says for whom",
  { nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    const low = await world.createGang("low", { size: 4, gpus: 1 });
    await world.untilBound(low);
    const members = await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.untilBound(members);
    assertEquals(evicted(world).sort(), low);
  },
);

relayTest(
  "a regular pod that breaks a running gang takes all of it",
  { nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    const low = await world.createGang("low", { size: 4, gpus: 1 });
    await world.untilBound(low);
    await world.create("high", { gpus: 1, priority: 10 });
    await world.untilBound(["high"]);
    await world.until("the others have left", () => world.bound().join() === "high");
    assertEquals([...evicted(world), ...deleted(world)].sort(), low);
  },
);

relayTest(
  "a budget that lets nobody go is kept, and the gang starts when it does",
  { nodes: { "node-1": 2 } },
  async (world) => {
    await world.create("low", { gpus: 2, labels: { app: "kept" } });
    await world.untilBound(["low"]);
    await putBudget(world, 0);
    const members = await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.until(
      "the gang is rejected",
      () => world.policy.made.at(-1)?.answer?.reason === "InsufficientResources",
    );
    assertEquals(evicted(world), []);
    const path =
      `${world.sandbox.url}/apis/policy/v1/namespaces/default/poddisruptionbudgets/kept/status`;
    await callApi(path, {
      method: "PATCH",
      contentType: "application/merge-patch+json",
      body: { status: { disruptionsAllowed: 1 } },
    });
    await world.untilBound(members);
    assertEquals(evicted(world), ["low"]);
  },
);

relayTest(
  "a new member of a running gang evicts by the scheduler, as a regular pod does",
  { nodes: { "node-1": 3 } },
  async (world) => {
    const gang = { name: "high", minAvailable: 1 };
    await world.createGang("high", { size: 2, minAvailable: 1, gpus: 1, priority: 10 });
    await world.untilBound(["high-0", "high-1"]);
    await world.create("low-0", { gpus: 1 });
    await world.untilBound(["low-0"]);
    await world.delete("high-1");
    await world.create("low-1", { gpus: 1 });
    await world.untilBound(["low-1"]);
    await world.create("high-2", { gpus: 1, priority: 10, gang });
    await world.untilBound(["high-2"]);
    assertEquals(deleted(world).length, 2);
    assertEquals(evicted(world), []);
  },
);

relayTest(
  "nobody is evicted for a gang that a policy of one's own keeps waiting, and who comes meanwhile has the room",
  { nodes: { "node-1": 2 }, ownStages: ["admit"] },
  async (world) => {
    let isOpen = false;
    const asked: string[] = [];
    world.policy.intercept = async (call, answer) => {
      if (call.stage !== "admit") return await answer();
      const { name } = call.body.gangs![0]!.gang;
      asked.push(`${name}: ${evicted(world).length} evicted`);
      return Response.json(
        isOpen || name !== "high"
          ? { verdict: "allow" }
          : { verdict: "wait", message: "until 18:00", askAgainSeconds: 1 },
      );
    };
    await world.create("low", { gpus: 1 });
    await world.untilBound(["low"]);
    const members = await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    const reasons = () =>
      world.policy.made.flatMap(({ stage, body, answer }) =>
        stage === "prefilter" && body.gangs![0]!.gang.name === "high" ? answer?.reason ?? [] : []
      );
    await world.until("it is kept waiting", () => reasons().at(-1) === "CustomPolicy");
    await world.create("next", { gpus: 1 });
    await world.untilBound(["next"]);
    await world.until("it was asked about again", () => asked.length > 2);
    const since = reasons().slice(reasons().indexOf("CustomPolicy"));
    assert(since.every((reason) => reason === "CustomPolicy"), since.join());
    assertEquals(evicted(world), []);
    isOpen = true;
    await world.untilBound(members);
    assertEquals(evicted(world).sort(), ["low", "next"]);
    assert(asked.slice(0, 3).every((line) => line === "high: 0 evicted"), asked.join());
  },
);

relayTest(
  "a gang that a policy of one's own let in starts when pods have left for it, although the policy would let it wait now",
  { nodes: { "node-1": 2 }, ownStages: ["admit"] },
  async (world) => {
    let asked = 0;
    world.policy.intercept = async (call, answer) => {
      if (call.stage !== "admit") return await answer();
      const isHigh = call.body.gangs![0]!.gang.name === "high";
      return Response.json(
        isHigh && asked++ > 0 ? { verdict: "wait", message: "until 18:00" } : { verdict: "allow" },
      );
    };
    await world.create("low", { gpus: 1 });
    await world.untilBound(["low"]);
    await world.untilBound(await world.createGang("high", { size: 2, gpus: 1, priority: 10 }));
    assertEquals([evicted(world), asked], [["low"], 1]);
  },
);

relayTest(
  "nobody is evicted because the scheduler has not heard yet that the planned node is free",
  { nodes: { "node-1": 2, "node-2": 2 } },
  async (world) => {
    await world.create("port-holder", { gpus: 2, priority: 100 });
    await world.untilBound(["port-holder"]);
    await world.create("low", { gpus: 2 });
    await world.untilBound(["low"]);
    await world.sandbox.stopScheduler();
    const annotations = { "muster.scheduling/required-topology": "kubernetes.io/hostname" };
    const gang = { name: "gang", minAvailable: 2 };
    const member = { gang, gpus: 1, priority: 10, annotations };
    await world.create("gang-0", member);
    await world.delete("port-holder");
    await world.create("gang-1", member);
    const isTold = (text: string) => () =>
      world.policy.made.some(({ answer }) => answer?.message?.includes(text));
    await world.until("it is let in", isTold("gang default/gang may be scheduled"));
    await world.sayUnschedulable(
      "gang-0",
      "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) didn't have free ports for the requested pod ports. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.",
    );
    await world.createGang("other", { size: 2, gpus: 1 });
    await world.until("the next is planned", isTold("gang default/other"));
    await world.startScheduler();
    await world.untilBound(membersOf("gang", 2));
    assertEquals(evicted(world), []);
  },
);
