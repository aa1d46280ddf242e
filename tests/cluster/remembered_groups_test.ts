import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import { worldOf } from "../../shared/cluster/planned_world.ts";
import type { PodRecord } from "../../shared/cluster/pod_record.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import { times } from "../../shared/core/attend/times.ts";
import { letIn } from "../support/attending.ts";
import { clusterOf, createGang, groupOf, now } from "../support/planned_gangs.ts";

/** What the scheduler says of both members. */
const noVolume = {
  members: 2,
  message: '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
};

Deno.test("world: a group is the same object to plans until something of it is another", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const group = groupOf({ name: "g", size: 2, gpus: 1 }, cluster);
  const settings = { matchPolicy: "once-satisfied" } as const;
  const take = (at = now, of = cluster) => {
    const backfill = { reservations: 0, backfillMs: 0 };
    return worldOf([group], { cluster: of, backfill, settings, now: at }).waiting[0]!;
  };
  const isAnotherAfter = (happen: () => void) => {
    const before = take();
    assertStrictEquals(take(now + 1), before);
    happen();
    return take() !== before;
  };
  const [gang] = group.gangs;
  const [{ pod }] = [...cluster.pods.values()] as [PodRecord];
  const knows = (known: Partial<Attended>) => () => {
    group.attended = { ...group.attended, ...known };
  };
  const happenings = {
    "something is known of it": knows({ shortSince: now }),
    "a member changed": () => cluster.podChanged({ ...pod, status: { phase: "Pending" } }),
    "a member is gone": () => cluster.podDeleted(pod),
    "it was learnt how long it runs": () => {
      gang!.learnt = { runTime: { seconds: 60, source: "learnt" }, at: now };
    },
    "another gang is of it": () => {
      group.gangs.push(createGang({ name: "other", size: 1, gpus: 1 }, cluster));
    },
  };
  for (const [what, happen] of Object.entries(happenings)) {
    assertEquals(isAnotherAfter(happen), true, what);
  }
  assertNotStrictEquals(take(now, clusterOf({ nodes: {}, pods: [] })), take());
});

Deno.test("world: a group that time alone changes is looked at each time", () => {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const group = groupOf({ name: "g", size: 2, gpus: 1, refused: noVolume }, cluster);
  const take = (at: number) => {
    const settings = { matchPolicy: "once-satisfied" } as const;
    const backfill = { reservations: 0, backfillMs: 0 };
    return worldOf([group], { cluster, backfill, settings, now: at }).waiting[0]!;
  };
  const { attended } = group;
  group.attended = { ...attended, standing: letIn({ at: now }) };
  const late = now + times.settled;
  assertEquals([now, late].map((at) => take(at).isPausing), [false, true]);
  const at = Date.now() + 1000;
  const nodes = new Map([["a", { at, isRefused: true, tries: 0 }]]);
  group.attended = { ...attended, refusedNodes: new Map([["k", nodes]]) };
  const sizes = [at, at + times.refusedNode].map((now) => take(now).refused?.size);
  assertEquals(sizes, [1, 0]);
  const vainEvictions = { count: 1, until: late, isOpen: false };
  group.attended = { ...attended, vainEvictions };
  assertNotStrictEquals(take(now), take(late));
});
