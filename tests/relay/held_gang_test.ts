import { assert, assertEquals } from "@std/assert";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };

relayTest(
  "BUG-11 when a held member is deleted its siblings are let go, and the gang starts when it is created anew",
  { nodes },
  async (world) => {
    const [first = "", ...others] = await world.createHeldGang("gang", { size: 3, gpus: 1 });
    await world.delete(first);
    await world.until(
      "the sibling learns what happened",
      () =>
        whyPending(world.pod("gang-1")) ===
          "Muster: gang default/gang lost its held member gang-0: the pod was deleted",
    );
    await world.untilBinding(0);
    await world.replaceLast("gang", { size: 3, gpus: 1 });
    await world.create(first, { gpus: 1, gang: { name: "gang", minAvailable: 3 } });
    await world.untilBound([first, ...others]);
  },
);

relayTest(
  "when the node of held members is deleted they are let go, and their gang starts elsewhere",
  { nodes: { "node-1": 3 } },
  async (world) => {
    const members = await world.createHeldGang("gang", { size: 3, gpus: 1 });
    const { store } = world.sandbox.server;
    store.remove("nodes", store.get("nodes", "node-1")!);
    const lost =
      /^Muster: gang default\/gang lost its held member gang-[01]: its node is gone, or has a taint NoExecute that it does not tolerate$/;
    await world.until(
      "they learn what happened",
      () => members.slice(0, 2).every((name) => lost.test(whyPending(world.pod(name)) ?? "")),
    );
    await world.sandbox.addNode({ name: "node-2", gpus: 3 });
    await world.replaceLast("gang", { size: 3, gpus: 1 });
    await world.untilBound(members);
    assertEquals([...new Set(world.sandbox.pods().map(({ spec }) => spec.nodeName))], ["node-2"]);
  },
);

relayTest(
  "a member that is lost while permit is asked keeps its siblings from being bound",
  { nodes },
  async (world) => {
    const asked = Promise.withResolvers<void>();
    const lost = Promise.withResolvers<void>();
    world.policy.intercept = async (call, answer) => {
      const response = await answer();
      if (call.stage === "permit" && call.answer?.verdict === "allow") {
        asked.resolve();
        await lost.promise;
      }
      return response;
    };
    await world.createGang("gang", { size: 2, gpus: 1 });
    await asked.promise;
    await world.delete("gang-1");
    await world.untilBinding(1);
    lost.resolve();
    world.policy.intercept = undefined;
    await world.untilBinding(0);
    assertEquals(world.bound(), []);
    await world.create("gang-1", { gpus: 1, gang: { name: "gang", minAvailable: 2 } });
    await world.untilBound(membersOf("gang", 2));
  },
);

relayTest(
  "a member that is deleted while its binding is written keeps the other gang of its group from being bound",
  { nodes },
  async (world) => {
    const deleted = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const writing = Promise.withResolvers<void>();
    let written = 0;
    world.sandbox.server.intercept = async ({ url }) => {
      if (!/\/(first|second)-0\/binding$/.test(url)) return undefined;
      if (++written === 2) writing.resolve();
      if (written <= 2) await deleted.promise;
      return undefined;
    };
    world.policy.intercept = async (call, answer) => {
      const response = await answer();
      const held = call.body.gangs?.flatMap((facts) => facts.held) ?? [];
      if (call.stage === "permit" && held.length === 3) {
        asked.resolve();
        await deleted.promise;
      }
      return response;
    };
    const groups = ["default/first", "default/second"];
    const second = { name: "second", minAvailable: 1, groups };
    await world.createGang("first", { size: 1, groups, gpus: 1 });
    await world.createGang("second", { size: 1, groups, gpus: 1 });
    await writing.promise;
    await world.create("second-1", { gpus: 1, gang: second });
    await asked.promise;
    await world.delete("first-0");
    // Its gang is bound after the relay has seen it, and so after it has seen the deletion.
    await world.untilBound(await world.createGang("marker", { size: 1 }));
    deleted.resolve();
    await world.untilBinding(0);
    assertEquals(world.bound().toSorted(), ["marker-0", "second-0"]);
    await world.createGang("first", { size: 1, groups, gpus: 1 });
    await world.untilBound(["first-0", "second-1"]);
  },
);

relayTest(
  "KO-PC-1 KO-PC-4 when the scheduler cannot place a member its held siblings are let go and learn why",
  { nodes },
  async (world) => {
    const members = await world.createHeldGang("gang", { size: 3, gpus: 1 });
    // The scheduler of the last member is the test: it says what a plugin says that the fit knows nothing of.
    const message = "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.";
    const { audit } = world.sandbox.server;
    const before = audit.length;
    await world.sayUnschedulable("gang-2", message);
    await world.until(
      "both siblings learn the root cause",
      () =>
        ["gang-0", "gang-1"].every((name) =>
          whyPending(world.pod(name))?.includes(
            "Muster: gang default/gang can not become whole: no node for member gang-2: 0/1 nodes " +
              "are available: 1 node(s) didn't match pod affinity rules",
          )
        ),
    );
    assertEquals(world.policy.count("postfilter"), 1);
    assertEquals(world.bound(), []);
    const written = audit.slice(before).filter(({ method }) => method !== "GET");
    const naming = (name: string) => written.filter(({ path }) => path.includes(`/${name}`)).length;
    assert(naming("gang-0") > 0 && naming("gang-1") > 0, JSON.stringify(written));
    assertEquals(naming("gang-2"), 1, "the test itself");
    await world.replaceLast("gang", { size: 3, gpus: 1 });
    await world.untilBound(members);
  },
);

relayTest(
  "a refusal by the relay itself is no failure of a member",
  { nodes: { "node-1": 1 } },
  async (world) => {
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.until(
      "both members were refused",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("short of nvidia.com/gpu")),
    );
    await world.sandbox.addNode({ name: "node-2", gpus: 1 });
    await world.untilBound(membersOf("gang", 2));
    assertEquals(world.policy.count("postfilter"), 0);
    assert(world.policy.count("permit") > 0, "the functions were asked");
  },
);

const size = 3;
const names = membersOf("gang", size);

relayTest(
  "BUG-15 a gang outlives a restart of the scheduler while it is held",
  { nodes, closedSeconds: 0.2 },
  async (world) => {
    await world.createHeldGang("gang", { size, gpus: 1 });
    await world.sandbox.stopScheduler();
    await world.untilBinding(0);
    await world.startScheduler();
    await world.untilBinding(2);
    assertEquals(world.bound(), []);
    await world.replaceLast("gang", { size, gpus: 1 });
    await world.untilBound(names);
  },
);

relayTest("BUG-15 a gang outlives a killed relay while it is held", { nodes }, async (world) => {
  await world.createHeldGang("gang", { size, gpus: 1 });
  await world.killRelay();
  await world.startRelay();
  await world.untilBinding(2);
  assertEquals(world.bound(), []);
  await world.replaceLast("gang", { size, gpus: 1 });
  await world.untilBound(names);
});

relayTest("a gang outlives the loss of the store while it is held", { nodes }, async (world) => {
  await world.createHeldGang("gang", { size, gpus: 1 });
  await world.wipeStore();
  await world.replaceLast("gang", { size, gpus: 1 });
  await world.untilBound(names);
});

relayTest(
  "a gang outlives the loss of everything at once while it is held",
  { nodes },
  async (world) => {
    await world.createHeldGang("gang", { size, gpus: 1 });
    await world.sandbox.stopScheduler();
    await world.killRelay();
    await world.wipeStore();
    await world.startRelay();
    await world.startScheduler();
    await world.replaceLast("gang", { size, gpus: 1 });
    await world.untilBound(names);
  },
);

relayTest(
  "members that a killed relay refused are woken by the next one",
  { nodes },
  async (world) => {
    const gang = { name: "gang", minAvailable: size };
    for (const name of names.slice(0, 2)) await world.create(name, { gpus: 1, gang });
    await world.until(
      "both members were refused",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("2 of 3 members")),
    );
    await world.killRelay();
    await world.create("gang-2", { gpus: 1, gang });
    await world.startRelay();
    await world.untilBound(names);
  },
);

relayTest(
  "a relay that is stopped lets held calls go and finishes granted bindings",
  { nodes: { "node-1": 8 } },
  async (world) => {
    await world.createHeldGang("held", { size, gpus: 1 });
    const writing = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    world.sandbox.server.intercept = async (request) => {
      if (!new URL(request.url).pathname.endsWith("/binding")) return undefined;
      writing.resolve();
      await written.promise;
      return undefined;
    };
    await world.createGang("granted", { size: 2, gpus: 1 });
    await writing.promise;
    await world.untilBinding(4);
    const stopped = world.stopRelay();
    await world.until(
      "the held members learn why they were let go",
      () =>
        ["held-0", "held-1"].every((name) =>
          whyPending(world.pod(name)) === "Muster: the relay is stopping"
        ),
    );
    assertEquals(world.bound(), []);
    written.resolve();
    await stopped;
    assertEquals(world.bound(), ["granted-0", "granted-1"]);
  },
);

relayTest(
  "a relay that is stopping answers calls that still come",
  { nodes: { "node-1": 8 } },
  async (world) => {
    const writing = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    world.sandbox.server.intercept = async (request) => {
      if (!new URL(request.url).pathname.endsWith("/binding")) return undefined;
      writing.resolve();
      await written.promise;
      return undefined;
    };
    await world.createGang("granted", { size: 2, gpus: 1 });
    await writing.promise;
    const late = await world.create("late", { gang: { name: "late", minAvailable: 1 } });
    const stopped = world.stopRelay();
    const { uid } = late.metadata;
    const call = { PodName: "late", PodNamespace: "default", PodUID: uid, Node: "node-1" };
    const { answer } = await world.call("/extender/bind", call);
    assertEquals(answer, { Error: "Muster: the relay is stopping" });
    written.resolve();
    await stopped;
  },
);
