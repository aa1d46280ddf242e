import { assert, assertEquals } from "@std/assert";
import { times } from "../../shared/core/attend/times.ts";
import { membersOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

/** Asks which victims may be evicted for a pod, as the scheduler does; the nodes that are left, with their victims. */
async function preempt(
  world: RelayWorld,
  preemptor: string,
  victims: Record<string, string[]>,
): Promise<Record<string, string[]>> {
  const pods = new Map(world.sandbox.pods().map((pod) => [pod.metadata.name, pod.metadata.uid]));
  const { answer } = await world.call("/extender/preempt", {
    Pod: world.pod(preemptor),
    NodeNameToMetaVictims: Object.fromEntries(
      Object.entries(victims).map(([node, names]) => [
        node,
        { Pods: names.map((name) => ({ UID: pods.get(name) })), NumPDBViolations: 0 },
      ]),
    ),
  });
  const { NodeNameToMetaVictims } = answer as {
    NodeNameToMetaVictims: Record<string, { Pods: { UID: string }[] }>;
  };
  const names = new Map([...pods].map(([name, uid]) => [uid, name]));
  return Object.fromEntries(
    Object.entries(NodeNameToMetaVictims).map((
      [node, { Pods }],
    ) => [node, Pods.map(({ UID }) => names.get(UID) ?? UID)]),
  );
}

/** A regular pod takes a node whole; from then on the scheduler stands still, and the test asks in its stead. */
async function fillNode(world: RelayWorld, gpus: number): Promise<void> {
  await world.create("regular", { gpus });
  await world.untilBound(["regular"]);
  await world.sandbox.stopScheduler();
}

/** Deletions that the API server carried out. */
function deletions(world: RelayWorld): string[] {
  return world.sandbox.server.audit.filter(({ verb }) => verb === "delete").map(({ path }) => path);
}

relayTest(
  "a held gang makes room for a regular pod of higher priority, and none of its pods is deleted",
  { nodes: { "node-1": 4 } },
  async (world) => {
    const members = await world.createHeldGang("low", { size: 4, gpus: 1 });
    await world.create("high", { gpus: 4, priority: 10 });
    await world.untilBound(["high"]);
    assertEquals(world.bound(), ["high"]);
    assertEquals(deletions(world), []);
    await world.sandbox.addNode({ name: "node-2", gpus: 4 });
    await world.replaceLast("low", { size: 4, gpus: 1 });
    await world.untilBound(members);
  },
);

relayTest(
  "where a waiting gang alone stands in the way no regular pod is evicted",
  { nodes: { "node-1": 3, "node-2": 3 } },
  async (world) => {
    await world.create("regular", { gpus: 3 });
    await world.untilBound(["regular"]);
    await world.createHeldGang("low", { size: 3, gpus: 1 });
    const free = world.pod("regular").spec.nodeName === "node-1" ? "node-2" : "node-1";
    const taken = free === "node-1" ? "node-2" : "node-1";
    const high = await world.create("high", { spec: { schedulerName: "elsewhere", priority: 10 } });
    const left = await preempt(world, high.metadata.name, {
      [free]: ["low-0", "low-1"],
      [taken]: ["regular"],
    });
    assertEquals(left, {});
    await world.until(
      "the held members learn who they were let go for",
      () =>
        ["low-0", "low-1"].every((name) =>
          whyPending(world.pod(name))?.includes(
            "gang default/low was let go for pod default/high of higher priority",
          )
        ),
    );
    // A call that was already on its way.
    const { uid } = world.pod("low-0").metadata;
    const call = { PodName: "low-0", PodNamespace: "default", PodUID: uid, Node: free };
    assertEquals((await world.call("/extender/bind", call)).answer, {
      Error: "Muster: gang default/low was let go for pod default/high of higher priority",
    });
    assertEquals(world.bound(), ["regular"]);
  },
);

relayTest(
  "where a node needs no waiting gang to leave, the scheduler evicts there",
  { nodes: { "node-1": 4 } },
  async (world) => {
    await world.create("regular-1", { gpus: 1 });
    await world.create("regular-2", { gpus: 1 });
    await world.untilBound(["regular-1", "regular-2"]);
    await world.createHeldGang("low", { size: 2, gpus: 1 });
    await world.create("high", { spec: { schedulerName: "elsewhere", priority: 10 } });
    const victims = { "node-1": ["low-0", "regular-1"], "node-2": ["regular-2"] };
    assertEquals(await preempt(world, "high", victims), { "node-2": ["regular-2"] });
    assertEquals(world.relay.binding, ["low-0"]);

    assertEquals(await preempt(world, "high", { "node-1": ["low-0", "regular-1"] }), {});
    await world.untilBinding(0);
  },
);

relayTest(
  "a member of a gang evicts nobody until its gang may be scheduled",
  { nodes: { "node-1": 4 }, evicts: false },
  async (world) => {
    await fillNode(world, 4);
    const gang = { name: "high", minAvailable: 2 };
    await world.create("high-0", { gpus: 2, priority: 10, gang });
    await world.until(
      "the gang is rejected",
      () => world.policy.made.at(-1)?.answer?.reason === "MembersMissing",
    );
    assertEquals(await preempt(world, "high-0", { "node-1": ["regular"] }), {});
    await world.create("high-1", { gpus: 2, priority: 10, gang });
    await world.until(
      "the gang is let in",
      () => world.policy.made.at(-1)?.answer?.reason === "Admitted",
    );
    await world.startScheduler();
    await world.untilBound(membersOf("high", 2));
    assertEquals(deletions(world), ["/api/v1/namespaces/default/pods/regular"]);
  },
);

relayTest(
  "a running gang is not broken while a regular pod can be evicted; then one that is broken already",
  { nodes: { "node-1": 2, "node-2": 2, "node-3": 1 } },
  async (world) => {
    for (const name of ["first", "second"]) {
      await world.createGang(name, { size: 2, gpus: 1 });
      await world.untilBound(membersOf(name, 2));
    }
    await world.create("regular", { gpus: 1 });
    await world.untilBound(["regular"]);
    await world.sandbox.stopScheduler();
    await world.create("high", { priority: 10 });
    const all = {
      "node-1": ["first-0"],
      "node-2": ["second-0"],
      "node-3": ["regular"],
    };
    assertEquals(await preempt(world, "high", all), { "node-3": ["regular"] });
    const { "node-3": _, ...gangs } = all;
    const evicted = await preempt(world, "high", gangs);
    // Of two gangs that are equal the one that started later goes, where they started in different seconds.
    const [node, name] = "node-1" in evicted ? ["node-1", "first"] : ["node-2", "second"];
    assertEquals(evicted, { [node!]: [`${name}-0`] });
    // Nothing has been deleted yet: the second preemptor follows at once.
    const rest = { "node-2": ["second-1"], "node-1": ["first-1"] };
    assertEquals(await preempt(world, "high", rest), { [node!]: [`${name}-1`] });
  },
);

relayTest(
  "a preempt call that comes before the verdict waits for it: to wake the member later takes longer",
  { nodes: { "node-1": 2 }, evicts: false },
  async (world) => {
    await fillNode(world, 2);
    const go = Promise.withResolvers<void>();
    world.policy.intercept = async (_call, answer) => {
      await go.promise;
      return await answer();
    };
    await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.until("prefilter is asked", () => world.policy.count("prefilter") > 0);
    const answer = preempt(world, "high-0", { "node-1": ["regular"] });
    go.resolve();
    assertEquals(await answer, { "node-1": ["regular"] });
  },
);

relayTest(
  "members of a gang that a policy keeps waiting evict nobody, and are tried again when it may start, also by another relay",
  { nodes: { "node-1": 2 }, evicts: false },
  async (world) => {
    await world.create("regular", { gpus: 2 });
    await world.untilBound(["regular"]);
    let isKept = true;
    world.policy.intercept = async (call, answer) => {
      if (call.stage !== "prefilter" || !isKept) return await answer();
      const reason = "CustomPolicy";
      return Response.json({ verdict: "reject", reason, message: "not now", retryAfterSeconds: 1 });
    };
    await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    const members = membersOf("high", 2);
    await world.until(
      "they have evicted nobody",
      () => members.every((name) => whyPending(world.pod(name))?.endsWith("for preemption")),
    );
    await world.killRelay();
    await world.startRelay();
    isKept = false;
    await world.untilBound(members);
    assertEquals(deletions(world), ["/api/v1/namespaces/default/pods/regular"]);
  },
);

relayTest(
  "while no function answers no preempt call waits for a verdict: the scheduler does nothing else meanwhile",
  { nodes: { "node-1": 2 }, evicts: false },
  async (world) => {
    await fillNode(world, 2);
    const over = Promise.withResolvers<void>();
    world.policy.intercept = () => Promise.resolve(new Response("gone", { status: 503 }));
    await world.createGang("first", { size: 1, gpus: 1, priority: 10 });
    await world.until(
      "they do not answer",
      () => world.log.some((line) => line.includes("did not answer")),
    );
    world.policy.intercept = async (_call, answer) => {
      await over.promise;
      return await answer();
    };
    await world.createGang("second", { size: 1, gpus: 1, priority: 10 });
    await world.until(
      "prefilter is asked about the second",
      () =>
        world.policy.made.some(({ body }) =>
          body.gangs?.some(({ gang }) => gang.name === "second") === true
        ),
    );
    const judged = Promise.withResolvers<string>();
    const timer = setTimeout(() => judged.resolve("the time for a verdict is over"), times.judged);
    const answer = preempt(world, "second-0", { "node-1": ["regular"] });
    const first = await Promise.race([answer, judged.promise]);
    clearTimeout(timer);
    over.resolve();
    assertEquals(first, {});
  },
);

relayTest(
  "a member that left evictions to its group is woken once a sibling takes what that needs: nobody else would",
  { nodes: { "node-1": 1, "node-2": 1 } },
  async (world) => {
    await fillNode(world, 1);
    await world.createGang("high", { size: 2, gpus: 1, minAvailable: 1, priority: 10 });
    const taken = world.pod("regular").spec.nodeName!;
    assertEquals(await preempt(world, "high-1", { [taken]: ["regular"] }), {});
    const { uid } = world.pod("high-0").metadata;
    const Node = taken === "node-1" ? "node-2" : "node-1";
    const call = { PodName: "high-0", PodNamespace: "default", PodUID: uid, Node };
    assertEquals((await world.call("/extender/bind", call)).answer, {});
    await world.until(
      "it is woken",
      () => world.pod("high-1").metadata.annotations?.["muster.scheduling/poked"] !== undefined,
    );
    assertEquals(await preempt(world, "high-1", { [taken]: ["regular"] }), {
      [taken]: ["regular"],
    });
  },
);

relayTest(
  "a victim that leaves for one member is not evicted for another: the scheduler would wait for an end that it has seen",
  { nodes: { "node-1": 3 }, evicts: false },
  async (world) => {
    await world.create("stays", { gpus: 1, priority: 5 });
    await world.create("a", { gpus: 1 });
    await world.create("b", { gpus: 1 });
    await world.untilBound(["stays", "a", "b"]);
    await world.sandbox.stopScheduler();
    await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    assertEquals(await preempt(world, "high-0", { "node-1": ["a"] }), { "node-1": ["a"] });
    assertEquals(await preempt(world, "high-1", { "node-1": ["b", "a"] }), { "node-1": ["b"] });
    assertEquals(await preempt(world, "high-1", { "node-1": ["a"] }), {});
    // The scheduler tries a pod again at once whose victim it could not delete.
    assertEquals(await preempt(world, "high-0", { "node-1": ["a"] }), { "node-1": ["a"] });
  },
);

relayTest(
  "a preemptor that asks again before its second victim shows that it leaves is answered once that is seen: it would sleep",
  { nodes: { "node-1": 2 } },
  async (world) => {
    await world.create("a", { gpus: 1 });
    await world.create("b", { gpus: 1 });
    await world.untilBound(["a", "b"]);
    await world.sandbox.stopScheduler();
    await world.create("high", { gpus: 2, priority: 10 });
    const both = { "node-1": ["a", "b"] };
    assertEquals(await preempt(world, "high", both), both);
    await world.delete("a");
    const again = preempt(world, "high", { "node-1": ["b"] });
    await world.delete("b");
    assertEquals(await again, {});
  },
);

relayTest(
  "candidates without victims, as another extender's filter leaves them, are passed on for whoever may be tried",
  { nodes: { "node-1": 2, "node-2": 2 }, evicts: false },
  async (world) => {
    await world.createGang("low", { size: 2, gpus: 1 });
    await world.untilBound(membersOf("low", 2));
    await world.sandbox.stopScheduler();
    await world.create("regular", { gpus: 2, priority: 10 });
    await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.create("alone-0", { priority: 10, gang: { name: "alone", minAvailable: 2 } });
    const empty = { "node-1": [], "node-2": [] };
    assertEquals(await preempt(world, "regular", empty), empty);
    assertEquals(await preempt(world, "high-0", empty), empty);
    assertEquals(await preempt(world, "alone-0", empty), {});
    const mixed = { "node-1": ["low-0"], "node-2": [] };
    assertEquals(await preempt(world, "regular", mixed), mixed);
  },
);

interface Story {
  reason: string;
  message: string;
  decisions: { message: string }[];
}

relayTest(
  "the story of a gang that was let go says for whom",
  { nodes: { "node-1": 4 } },
  async (world) => {
    await world.createHeldGang("low", { size: 4, gpus: 1 });
    await world.create("high", { gpus: 4, priority: 10 });
    await world.untilBound(["high"]);
    const { decisions } = await world.gang("low") as unknown as Story;
    const told = decisions.map(({ message }) => message);
    const isSaid = (text: string) =>
      /lost its held member low-\d: it was let go for pod default\/high of higher priority/.test(
        text,
      );
    assert(told.some(isSaid), told.join("\n"));
  },
);

relayTest(
  "the story of a running gang that lost members says to whom, until it is whole again",
  { nodes: { "node-1": 2, "node-2": 2 }, evicts: false },
  async (world) => {
    const low = membersOf("low", 4);
    await world.createGang("low", { size: 4, gpus: 1, minAvailable: 3 });
    await world.untilBound(low);
    await world.createGang("high", { size: 2, gpus: 1, priority: 10 });
    await world.untilBound(membersOf("high", 2));
    const left = low.filter((name) => world.bound().includes(name));
    assertEquals(left.length, 2);
    const said = (text: string) =>
      world.until(
        `prefilter says "${text}" of gang low`,
        () =>
          world.policy.made.some(({ stage, answer }) =>
            stage === "prefilter" && answer?.message?.startsWith("gang default/low ") === true &&
            answer.message.endsWith(text)
          ),
      );
    const by = "; 2 members were preempted by gang default/high of higher priority";
    await said(by);
    const { message } = await world.gang("low");
    assert(message.endsWith(by), message);
    const { length } = world.policy.made;
    await world.sandbox.addNode({ name: "node-3", gpus: 2 });
    await world.create("low-4", { gpus: 1, gang: { name: "low", minAvailable: 3 } });
    await world.untilBound(["low-4"]);
    await world.until(
      "it is whole, and nothing is said of that",
      () =>
        world.policy.made.slice(length).some(({ stage, answer }) =>
          stage === "prefilter" && answer?.message === "gang default/low is satisfied"
        ),
    );
  },
);

relayTest(
  "a gang that was let go may bind again as soon as the preemptor has its node",
  { nodes: { "node-1": 3 } },
  async (world) => {
    await world.createHeldGang("low", { size: 3, gpus: 1 });
    await world.create("high", { gpus: 2, priority: 10 });
    await world.untilBound(["high"]);
    await world.sandbox.stopScheduler();
    await world.untilBinding(0);
    const { uid } = world.pod("low-0").metadata;
    const call = { PodName: "low-0", PodNamespace: "default", PodUID: uid, Node: "node-1" };
    const answer = world.call("/extender/bind", call);
    await world.until("the call is open", () => world.relay.binding.includes("low-0"));
    await world.delete("low-0");
    assertEquals((await answer).answer, { Error: "Muster: the pod was deleted" });
  },
);
