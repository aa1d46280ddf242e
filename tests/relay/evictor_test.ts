import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { times } from "../../shared/core/attend/times.ts";
import { Evictor } from "../../relay/run/evictor.ts";
import { podOf } from "../support/objects.ts";
import { silentMetrics } from "../support/silent_metrics.ts";

const whom = { group: "default/high", by: "gang default/high" };
const pods = Array.from(
  { length: 20 },
  (_, index) => podOf({ name: `low-${index}`, nodeName: "a" }),
);

Deno.test("Evictor: of many pods those that are not asked yet stay where another relay acts meanwhile, and may be asked again", async () => {
  using time = new FakeTime();
  const cluster = new Cluster({ podChanged() {}, podGroupChanged() {}, roomChanged() {} });
  for (const pod of pods) cluster.podChanged(pod);
  const writing: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => writing.push(resolve));
  const parts = { cluster, write, say: () => {}, metrics: silentMetrics() };
  const evictor = new Evictor(parts, () => {});
  const uids = pods.map(({ metadata }) => metadata.uid);
  evictor.evict(uids, whom);
  await time.runMicrotasks();
  const asked = writing.length;
  assertEquals(asked, 8);
  evictor.pause(true);
  for (const written of writing) written();
  await time.runMicrotasks();
  assertEquals(writing.length, asked);
  evictor.pause(false);
  await time.tickAsync(times.spared);
  evictor.evict(uids, whom);
  await time.runMicrotasks();
  assertEquals(writing.length, 2 * asked);
});
