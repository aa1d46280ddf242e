import { assertEquals } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { isBound, whyPending } from "../support/pods.ts";
import type { Space } from "../support/space.ts";
import { Crowd } from "./crowd.ts";

const scenario = onCluster(() => ({
  nodes: {},
  started: async ({ controlPlane }) => {
    await controlPlane.api.create("/apis/scheduling.k8s.io/v1/priorityclasses", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "middle" },
      value: 100,
    });
  },
}));

/** Registers a row of the reference: its ids are kept. */
function row(name: string, live: (crowd: Crowd, space: Space) => Promise<void>): void {
  scenario(name, (context) => live(new Crowd(context), context.space));
}

/** A pod that asks for so many GPUs on one of the nodes. */
const on = (node: string, gpus = 1) => ({ node, gpus });
const whole = (min: number) => ({ gang: "low", min });
const onOneNode = {
  annotations: { "muster.scheduling/required-topology": "kubernetes.io/hostname" },
};

row(
  "PL-E4: of a gang that has one member more than it needs one is evicted",
  async (crowd, space) => {
    await crowd.nodes(2);
    await crowd.run({ "low-0": whole(1), "low-1": whole(1) });
    await crowd.create("high", { class: "high" });
    await space.untilBound(["high"]);
    assertEquals((await crowd.victims()).length, 1);
  },
);

row(
  "PL-E8: of two roles that have one member more than they need each gives one",
  async (crowd, space) => {
    await crowd.nodes(4);
    const member = (name: string) => ({ ...whole(2), role: { name, min: 1 } });
    await crowd.run({
      "a-0": member("a"),
      "a-1": member("a"),
      "b-0": member("b"),
      "b-1": member("b"),
    });
    await crowd.create("high", { class: "high", gpus: 2 });
    await space.untilBound(["high"]);
    const victims = await crowd.victims();
    assertEquals(victims.map((name) => name[0]), ["a", "b"]);
  },
);

row(
  "PL-P4: nobody is evicted for two roles of a gang that find one place only",
  async (crowd, space) => {
    await crowd.nodes(2);
    await crowd.run({ "low-0": {}, "low-1": {} });
    const members = ["high-a", "high-b"];
    for (const name of members) {
      const role = { name, min: 1 };
      await crowd.create(name, { class: "high", gang: "high", min: 2, role, gpus: 2 });
    }
    await space.untilTold(members, "nvidia.com/gpu");
    // What comes behind is planned later, and finds everything as it was.
    await crowd.create("other", { class: "high", gpus: 0 });
    await space.untilBound(["other"]);
    assertEquals(await crowd.victims(), []);
  },
);

row("PL-P7: one is evicted for the one member that a running gang lacks", async (crowd, space) => {
  await crowd.nodes(3);
  const lone = { class: "high", gang: "high", min: 2 } as const;
  const [first, second] = await crowd.gang("high", 2);
  await space.untilBound([first!, second!]);
  await crowd.run({ "low-0": {} });
  await space.delete(second!);
  await crowd.run({ "low-1": {} });
  await crowd.create("high-2", lone);
  await space.untilBound(["high-2"]);
  assertEquals((await crowd.victims()).length, 1);
});

row("PL-P8: pods stay that a budget keeps, where another may leave", async (crowd, space) => {
  // Each of the three takes ten of 32 CPUs: two of six each find room once one has left.
  await crowd.nodes(0);
  const kept = { labels: { app: "kept" }, cpus: 10 };
  await crowd.run({ "low-1": kept, "low-2": kept, "low-3": { cpus: 10 } });
  await createBudget(space);
  const members = await crowd.gang("high", 2, { cpus: 6 });
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["low-3"]);
});

row("PL-P11: a gang that needs all of its members leaves as a whole", async (crowd, space) => {
  await crowd.nodes(3);
  await crowd.run({ "low-0": whole(3), "low-1": whole(3), "low-2": whole(3) });
  await crowd.create("high", { class: "high" });
  await space.untilBound(["high"]);
  await space.until("the gang has left", (pods) => pods.length === 1);
  assertEquals(await crowd.victims(), ["low-0", "low-1", "low-2"]);
});

row("PL-P12: of a gang whose members leave one by one, one does", async (crowd, space) => {
  await crowd.nodes(3);
  const member = { ...whole(2), annotations: { "muster.scheduling/disruption": "member" } };
  await crowd.run({ "low-0": member, "low-1": member, "low-2": member });
  await crowd.create("high", { class: "high" });
  await space.untilBound(["high"]);
  assertEquals((await crowd.victims()).length, 1);
});

row(
  "PL-P13: members beyond the minimum evict those of lower priority too, and nobody else",
  async (crowd, space) => {
    await crowd.nodes(1, 1, 1, 1);
    await crowd.run({
      "low-0": on("n1"),
      "low-1": on("n2"),
      "high-0": { ...on("n3"), class: "high" },
      "high-1": { ...on("n4"), class: "high" },
    });
    const members = await crowd.gang("middle", 3, { class: "middle", min: 1 });
    await space.until(
      "two members are bound",
      (pods) =>
        pods.filter(({ metadata, spec }) => members.includes(metadata.name) && spec.nodeName)
          .length === 2,
    );
    assertEquals(await crowd.victims(), ["low-0", "low-1"]);
  },
);

row("PL-P17: who keeps members off by anti-affinity leaves for them", async (crowd, space) => {
  await crowd.nodes(2, 2);
  await crowd.run({ low: { ...on("n1", 0), labels: { app: "low" } } });
  const members = await crowd.gang("high", 2, { gpus: 2, avoids: "low" });
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["low"]);
});

row("PL-P18: who has the port of members leaves for them", async (crowd, space) => {
  await crowd.nodes(2, 2);
  await crowd.run({ low: { ...on("n1", 0), hostPort: 8080 } });
  const members = await crowd.gang("high", 2, { gpus: 2, hostPort: 8080 });
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["low"]);
});

row("PL-P19: one node is cleared where the other one is free", async (crowd, space) => {
  await crowd.nodes(2, 2);
  await crowd.run({ low: on("n1", 2) });
  const members = await crowd.gang("high", 2, { gpus: 2 });
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["low"]);
});

row("PL-P21: one large pod leaves rather than it and another", async (crowd, space) => {
  await crowd.nodes(2, 2);
  await crowd.run({ "low-1": on("n1", 2), "low-2": on("n2") });
  const members = await crowd.gang("high", 3);
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["low-1"]);
});

row(
  "PL-P23: a gang leaves with its members elsewhere, and its sibling stays",
  async (crowd, space) => {
    await crowd.nodes(2, 2, 2);
    const a1 = { gang: "a1", min: 2 };
    await crowd.run({
      "a1-1": { ...on("n1"), ...a1 },
      "a1-2": { ...on("n2"), ...a1 },
      "a2-1": { ...on("n2"), gang: "a2", min: 1 },
      filler: on("n1"),
      b1: on("n3", 2),
    });
    await crowd.create("high", { ...on("n1", 2), class: "high" });
    await space.untilBound(["high"]);
    await space.until(
      "the gang has left",
      (pods) => !pods.some(({ metadata }) => metadata.name === "a1-2"),
    );
    assertEquals(await crowd.victims(), ["a1-1", "a1-2", "filler"]);
  },
);

row("PL-P28: two gangs leave for one that needs what both have", async (crowd, space) => {
  await crowd.nodes(1, 1, 1, 1);
  const [a, b] = [{ gang: "a", min: 2 }, { gang: "b", min: 2 }];
  await crowd.run({ "a-0": a, "a-1": a, "b-0": b, "b-1": b });
  const members = await crowd.gang("high", 4);
  await space.untilBound(members);
  assertEquals(await crowd.victims(), ["a-0", "a-1", "b-0", "b-1"]);
});

row("PL-P31: of two roles the one with a member to spare gives it", async (crowd, space) => {
  await crowd.nodes(1, 1, 1, 1);
  const worker = { ...whole(3), role: { name: "worker", min: 2 } };
  await crowd.run({
    "ps-0": { ...whole(3), role: { name: "ps", min: 1 } },
    "worker-0": worker,
    "worker-1": worker,
    "worker-2": worker,
  });
  await crowd.create("high", { class: "high" });
  await space.untilBound(["high"]);
  const victims = await crowd.victims();
  assertEquals(victims.map((name) => name.slice(0, -2)), ["worker"]);
});

row(
  "a member that its gang does not need evicts nobody where it may not run",
  async (crowd, space) => {
    await crowd.nodes(2, 2);
    await crowd.run({ "low-0": on("n2"), "low-1": on("n2") });
    const members = await crowd.gang("high", 3, { min: 2, ...onOneNode });
    const isMember = (name: string) => members.includes(name);
    await space.until("one waits for want of room, and the others are bound", (pods) => {
      const own = pods.filter(({ metadata: { name } }) => isMember(name));
      return own.filter(isBound).length === 2 &&
        own.some((pod) => whyPending(pod)?.includes("preemption: "));
    });
    await space.neverWithin(2000, "a third one is bound, or another leaves", (pods) => {
      const own = pods.filter(({ metadata: { name } }) => isMember(name));
      return own.filter(isBound).length > 2 || pods.length < 5;
    });
    assertEquals(await crowd.victims(), []);
  },
);

row("one that replaces another evicts where its siblings are", async (crowd, space) => {
  await crowd.nodes(3, 3);
  const first = await crowd.gang("high", 3, { node: "n1", ...onOneNode });
  await space.untilRunning(first);
  await space.delete("high-1");
  await crowd.run({ here: on("n1"), "there-0": on("n2"), "there-1": on("n2", 2) });
  await crowd.create("again", { class: "high", gang: "high", min: 3, ...onOneNode });
  await space.untilBound(["again"]);
  assertEquals(await crowd.victims(), ["here"]);
});

/** A budget that lets none of two pods labelled `app=kept` leave. */
async function createBudget(space: Space): Promise<void> {
  await space.createIn("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets", {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "kept" },
    spec: { minAvailable: 2, selector: { matchLabels: { app: "kept" } } },
  });
}
