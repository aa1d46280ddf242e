import { assertEquals, assertLess } from "@std/assert";
import { CallRefused } from "../../shared/contract/call_refused.ts";
import type { SortedQueue } from "../../functions/stages.ts";
import type { QueueSortRequest } from "../../shared/contract/types.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { Circuit } from "../../shared/client/circuit.ts";
import { CallFailed } from "../../shared/client/stage_call.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import { Queue } from "../../relay/run/queue.ts";
import type { Parts } from "../../relay/run/parts.ts";
import { FakeTime } from "@std/testing/time";
import { times } from "../../shared/core/attend/times.ts";
import { at } from "../support/facts.ts";
import { podOf, type PodParts } from "../support/objects.ts";

type Units = QueueSortRequest["units"];

/** A group of one gang without members; of two, the one created later goes first. */
function groupOf(name: string, index: number, more: object = {}): GangGroup {
  const spec = { namespace: "default", name, minMember: 1, createdAt: at(index), ...more };
  const group = new GangGroup(`default/${name}`, Date.now());
  const lists = { sizeOf: () => 0 };
  const gang = { id: `default/${name}`, lists, read: () => ({ spec, warnings: [] }) };
  group.gangs.push(gang as unknown as GangGroup["gangs"][number]);
  return group;
}

/** A queue, what is asked of the functions, and what is said of them; they refuse calls that name `bad`. */
function queueOf(
  refuses: (units: Units) => boolean,
  more: () => Partial<SortedQueue> = () => ({}),
) {
  const calls: Units[] = [];
  const refused: string[] = [];
  const failed: string[] = [];
  const circuit = new Circuit({
    failures: { inc: () => failed.push("queue-sort") },
    log: () => {},
  });
  const world = {
    circuit,
    policy: {
      queueSort: (units: Units) => {
        calls.push(units);
        if (refuses(units)) {
          return Promise.reject(new CallFailed(new CallRefused("HTTP 400: Bad request"), "id"));
        }
        const latest = (time: string) => String(1e15 - Date.parse(time)).padStart(20, "0");
        const keys = units.map(({ id, queuedAt }) => ({ id, key: latest(queuedAt) }));
        return Promise.resolve({ keys, ...more() });
      },
    },
    metrics: {
      timed: (_: string, call: () => Promise<unknown>) => call(),
      callRefused: (title: string) => refused.push(title),
    },
  };
  return { queue: new Queue(world as unknown as Parts), calls, refused, failed };
}

/** Whether there are new keys, by which to plan at once. */
async function isNew(queue: Queue, groups: readonly GangGroup[]): Promise<boolean> {
  return await queue.refresh(groups) <= Date.now();
}

const names = (groups: readonly GangGroup[]) => groups.map(({ id }) => id.split("/")[1]);

Deno.test("queue: a call that is refused for one group is split, and every other group gets its key", async () => {
  const { queue, calls, refused, failed } = queueOf((units) =>
    units.some(({ id }) => id === "default/bad")
  );
  const groups = Array.from({ length: 500 }, (_, index) => groupOf(`gang-${index}`, index));
  groups.splice(123, 0, groupOf("bad", 0));
  assertEquals(await isNew(queue, groups), true);
  assertEquals([refused, failed], [["gang default/bad"], []]);
  assertLess(calls.length, 20);
  const sorted = groups.filter(({ id }) => id !== "default/bad").toReversed();
  assertEquals(names(queue.keys.inOrder(groups)), [...names(sorted), "bad"]);
  const asked = calls.length;
  assertEquals(await isNew(queue, groups), false);
  assertEquals(calls.length, asked, "what was refused is not asked about again as it is");
});

Deno.test("queue: many groups with long names are asked about in several calls, each far below what the functions take", async () => {
  const { queue, calls } = queueOf(() => false);
  const groups = Array.from({ length: 86 }, (_, index) => {
    const list = Array.from(
      { length: 100 },
      (_, gang) => `default/${`${gang}`.padStart(150, "g")}`,
    );
    return groupOf(`gang-${index}`, index, { groups: list, minResources: { cpu: "1" } });
  });
  while (await isNew(queue, groups));
  for (const units of calls) assertLess(JSON.stringify({ units }).length, 512 * 1024);
  assertEquals(calls.flat().length, 86);
  assertEquals(names(queue.keys.inOrder(groups)), names(groups.toReversed()));
});

Deno.test("queue: gangs that can not be told of come last, and nobody is asked about them", async () => {
  const { queue, calls } = queueOf(() => false);
  const groups = [groupOf("a/b", 9), groupOf("x".repeat(254), 8), groupOf("c", 1), groupOf("d", 2)];
  await queue.refresh(groups);
  assertEquals(calls.map((units) => units.map(({ id }) => id)), [["default/c", "default/d"]]);
  assertEquals(names(queue.keys.inOrder(groups)).slice(0, 2), ["d", "c"]);
});

Deno.test("queue: members that finished or leave are bound no more, as in the census", async () => {
  const { queue, calls } = queueOf(() => false);
  const nothing = () => {};
  const listener = { podChanged: nothing, podGroupChanged: nothing, roomChanged: nothing };
  const cluster = new Cluster(listener);
  const add = (gang: string, index: number, parts: PodParts = {}) => {
    const labels = { "pod-group/name": gang, "pod-group/min-available": "3" };
    cluster.podChanged(podOf({ name: `${gang}-${index}`, labels, ...parts }));
  };
  const nodeName = "node-1";
  add("a", 0, { nodeName, phase: "Running" });
  add("a", 1, { nodeName, phase: "Succeeded" });
  add("a", 2, { nodeName, phase: "Failed" });
  add("a", 3, { nodeName, phase: "Running", isTerminating: true });
  add("a", 4);
  add("b", 0);
  const groups = new GroupTable(cluster, nothing);
  await queue.refresh(["default/a", "default/b"].map((gang) => groups.find(gang)!));
  const told = calls.flat().map(({ id, bound }) => [id, bound]);
  assertEquals(told, [["default/a", 1], ["default/b", 0]]);
});

Deno.test("queue: keys that hold for a while are all asked for again when it is over", async () => {
  using time = new FakeTime();
  const { queue, calls } = queueOf(() => false, () => ({ order: "own", askAgainSeconds: 10 }));
  const groups = ["a", "b"].map((name, index) => groupOf(name, index));
  await queue.refresh(groups);
  time.tick(9_999);
  assertEquals(await isNew(queue, groups), false);
  assertEquals(await isNew(queue, [...groups, groupOf("c", 3)]), true);
  assertEquals(calls.map((units) => units.length), [2, 1]);
  time.tick(1);
  assertEquals(await isNew(queue, groups), true);
  assertEquals(calls.map((units) => units.length), [2, 1, 2]);
  assertEquals(await isNew(queue, groups), false);
});

Deno.test("queue: when another order begins, keys of the last one are asked for again", async () => {
  let order: string | undefined = "own";
  const { queue, calls } = queueOf(() => false, () => ({ order }));
  const groups = ["a", "b"].map((name, index) => groupOf(name, index));
  await queue.refresh(groups);
  order = "built-in";
  const grown = [...groups, groupOf("c", 3)];
  await queue.refresh(grown);
  assertEquals(await isNew(queue, grown), true);
  assertEquals(calls.map((units) => units.length), [2, 1, 2]);
  assertEquals(await isNew(queue, grown), false);
});

Deno.test("queue: it is planned again when keys are over, or were not to be had, and not while they are asked for", async () => {
  using time = new FakeTime(0);
  const answers = [
    () => ({ askAgainSeconds: 10 }),
    (): Partial<SortedQueue> => {
      throw new Error("out of order");
    },
    () => ({}),
  ];
  const { queue, failed } = queueOf(() => false, () => answers.shift()!());
  const groups = ["a", "b"].map((name, index) => groupOf(name, index));
  const asking = queue.refresh(groups);
  assertEquals(await queue.refresh(groups), Infinity, "they are asked for");
  assertEquals(await asking, 0, "they are new");
  assertEquals(await queue.refresh(groups), 10_000, "they hold until then");
  assertEquals(await queue.refresh(groups.slice(1)), Infinity, "nobody else waits");
  time.tick(10_000);
  assertEquals(await queue.refresh(groups), 10_000 + times.outage);
  assertEquals(failed, ["queue-sort"]);
  assertEquals(await queue.refresh(groups), 10_000, "they are new");
  assertEquals(await queue.refresh(groups), Infinity, "they hold until something changes");
});
