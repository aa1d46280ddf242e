import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { Pod } from "../../tools/sandbox/objects.ts";
import {
  type BackoffOptions,
  type QueuedPod,
  SchedulingQueue,
} from "../../tools/sandbox/scheduling_queue.ts";
import { deadline } from "./deadline.ts";
import { STRICT } from "./support.ts";

/** Longer than any test takes: what waits for it never comes. */
const LONG = { podInitialBackoffSeconds: 100, podMaxBackoffSeconds: 1000 };

function pod(name: string, options: { priority?: number; gates?: string[] } = {}): Pod {
  const { priority = 0, gates = [] } = options;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "",
    },
    spec: { containers: [], priority, schedulingGates: gates.map((gate) => ({ name: gate })) },
    status: {},
  };
}

function queueOf(pods: Pod[], options: BackoffOptions = LONG): SchedulingQueue {
  const queue = new SchedulingQueue(options);
  for (const one of pods) queue.update(one, "own-spec");
  return queue;
}

async function pop(queue: SchedulingQueue): Promise<QueuedPod> {
  await deadline(queue.ready(), "the queue has a pod to try");
  return queue.pop()!;
}

/** True when the queue has nothing to try in this and the next turns of the event loop. */
async function isIdle(queue: SchedulingQueue): Promise<boolean> {
  const ready = queue.ready();
  await new Promise((resolve) => setTimeout(resolve, 0));
  queue.close();
  return !await ready;
}

Deno.test("pods come by priority, then by time, gated ones not at all", STRICT, async () => {
  const queue = queueOf([
    pod("gated", { gates: ["g"] }),
    pod("first"),
    pod("second"),
    pod("high", { priority: 10 }),
  ]);
  const order = [];
  for (let at = 0; at < 3; at++) order.push((await pop(queue)).pod.metadata.name);
  assertEquals(order, ["high", "first", "second"]);
  queue.update(pod("gated"), "own-spec");
  assertEquals((await pop(queue)).pod.metadata.name, "gated");
});

Deno.test("what wakes an unschedulable pod depends on who refused it", STRICT, async (t) => {
  const cases = [
    ["node", false, true],
    ["pod-removed", false, true],
    ["own-spec", false, true],
    ["pod-placed", false, false],
    ["own", false, false],
    ["pod-placed", true, true],
    ["own", true, true],
  ] as const;
  for (const [event, byExtender, woken] of cases) {
    await t.step(`${event}, refused by ${byExtender ? "the extender" : "a plugin"}`, async () => {
      const queue = queueOf([pod("a")]);
      const entry = await pop(queue);
      queue.putUnschedulable(entry, { pod: entry.pod, byExtender });
      if (event === "own" || event === "own-spec") queue.update(pod("a"), event);
      else queue.wake(event);
      assertEquals(!await isIdle(queue), woken);
    });
  }
});

Deno.test("an event during a pod's own cycle is not lost", STRICT, async () => {
  const queue = queueOf([pod("a")]);
  const entry = await pop(queue);
  queue.update(pod("a"), "own");
  queue.putUnschedulable(entry, { pod: entry.pod, byExtender: true });
  assertEquals((await pop(queue)).pod.metadata.name, "a");
});

Deno.test("an idle queue does not wait for a back-off, but a busy one does", STRICT, async () => {
  const queue = queueOf([pod("a", { priority: 10 }), pod("b"), pod("c")]);
  const entry = await pop(queue);
  queue.putUnschedulable(entry, { pod: entry.pod, byExtender: false });
  queue.wake("node");
  const order = [];
  for (let at = 0; at < 3; at++) order.push((await pop(queue)).pod.metadata.name);
  assertEquals(order, ["b", "c", "a"]);
});

Deno.test("after an error only time brings a pod back", STRICT, async () => {
  const queue = queueOf([pod("a")]);
  const entry = await pop(queue);
  queue.putError(entry, entry.pod);
  queue.wake("node");
  queue.update(pod("a"), "own-spec");
  assertEquals(await isIdle(queue), true);

  const quick = queueOf([pod("a")], { podInitialBackoffSeconds: 0.01, podMaxBackoffSeconds: 1 });
  const first = await pop(quick);
  quick.putError(first, first.pod);
  assertEquals((await pop(quick)).pod.metadata.name, "a");
});

Deno.test("the back-off doubles up to its maximum", STRICT, async () => {
  const queue = queueOf([pod("a")], { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 5 });
  const waits = [];
  const entry = await pop(queue);
  for (let attempt = 0; attempt < 5; attempt++) {
    queue.putUnschedulable(entry, { pod: entry.pod, byExtender: false });
    waits.push(entry.readyAt - entry.since);
    queue.wake("node");
    await pop(queue);
  }
  assertEquals(waits, [1000, 2000, 4000, 5000, 5000]);
});

Deno.test("a pod that is removed does not come", STRICT, async () => {
  const queue = queueOf([pod("a"), pod("b")]);
  queue.remove("a");
  assertEquals((await pop(queue)).pod.metadata.name, "b");
});

Deno.test(
  "a pod whose victims are leaving is not woken, and events are not kept for it",
  STRICT,
  async () => {
    const blocked = new Set<string>();
    const queue = new SchedulingQueue({ ...LONG, isBlocked: (uid) => blocked.has(uid) });
    queue.update(pod("a"), "own-spec");
    const entry = await pop(queue);
    blocked.add("a");
    queue.wake("node");
    queue.putUnschedulable(entry, { pod: entry.pod, byExtender: false });
    queue.wake("node");
    assertEquals(queue.placeOf("a"), "asleep");
    blocked.clear();
    queue.wake("pod-removed");
    assertEquals((await pop(queue)).pod.metadata.name, "a");
  },
);

Deno.test("an event may help only pods up to a priority", STRICT, async () => {
  const queue = queueOf([pod("high", { priority: 10 }), pod("low")]);
  for (let at = 0; at < 2; at++) {
    const entry = await pop(queue);
    queue.putUnschedulable(entry, { pod: entry.pod, byExtender: false });
  }
  queue.wake("pod-removed", 5);
  assertEquals([queue.placeOf("high"), queue.placeOf("low")], ["asleep", "backoff"]);
});

Deno.test(
  "a pod that a plugin refused is tried again after five minutes, one that the extender refused is not",
  STRICT,
  async () => {
    using time = new FakeTime();
    const queue = queueOf([pod("plugin"), pod("extender")]);
    for (let at = 0; at < 2; at++) {
      const entry = queue.pop()!;
      const byExtender = entry.pod.metadata.name === "extender";
      queue.putUnschedulable(entry, { pod: entry.pod, byExtender });
    }
    assertEquals(queue.pop(), undefined);
    const ready = queue.ready();
    await time.tickAsync(300_000);
    assertEquals(await ready, true);
    assertEquals(queue.pop()?.pod.metadata.name, "plugin");
    assertEquals(queue.pop(), undefined);
  },
);
