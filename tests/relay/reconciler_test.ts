import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Cluster } from "../../relay/cluster.ts";
import { Holds } from "../../relay/holds.ts";
import { Reconciler } from "../../relay/reconciler.ts";
import type { World } from "../../relay/world.ts";
import { podOf } from "../support/objects.ts";
import { silentMetrics } from "../support/silent_metrics.ts";

/** A reconciler and what it asked prefilter, which rejects; nothing else is called before a gang is let in. */
function reconciling(): { cluster: Cluster; reconciler: Reconciler; asked: unknown[] } {
  const asked: unknown[] = [];
  const holds = new Holds();
  const cluster: Cluster = new Cluster({
    podChanged: (change) => reconciler.podChanged(change),
    podGroupChanged: (gang) => reconciler.podGroupChanged(gang),
    roomChanged: () => reconciler.roomChanged(),
  });
  const prefilter = (request: unknown) => {
    asked.push(request);
    return Promise.resolve({ verdict: "reject", reason: "MembersMissing", message: "1 of 2" });
  };
  const reconciler: Reconciler = new Reconciler({
    relayId: "relay",
    cluster,
    holds,
    metrics: silentMetrics(),
    policy: { prefilter },
    poke: () => {},
    looked: () => {},
    setGate: () => Promise.resolve(),
    backfillMs: 0,
    longestHoldMs: 60_000,
  } as unknown as World);
  return { cluster, reconciler, asked };
}

Deno.test("Reconciler asks about a gang also when a member is refused at the very time that its siblings are awaited for", async () => {
  using time = new FakeTime();
  const { cluster, reconciler, asked } = reconciling();
  const labels = {
    "pod-group.scheduling.sigs.k8s.io/name": "train",
    "pod-group.scheduling.sigs.k8s.io/min-available": "2",
  };
  const pod = podOf({ name: "train-0", labels });
  cluster.podChanged(pod);
  await time.tickAsync(15);
  assertEquals(asked.length, 0, "its sibling may come");
  // A machine that is busy calls a timer late: the time has come, the timer has not been called.
  const { now } = Date;
  Date.now = () => now() + 10;
  const { uid } = pod.metadata;
  reconciler.refused("default/train", {
    uid,
    pod: { namespace: "default", name: "train-0" },
    reason: "JustSeen",
    sentence: "",
    at: Date.now(),
  });
  await time.tickAsync(50);
  Date.now = now;
  reconciler.stop();
  assertEquals(asked.length, 1);
});
