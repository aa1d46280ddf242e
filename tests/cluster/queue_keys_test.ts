import { assertEquals } from "@std/assert";
import type { GangGroup } from "../../shared/cluster/gang_group.ts";
import { QueueKeys } from "../../shared/cluster/queue_keys.ts";
import { clusterOf, createGang, groupOf, now } from "../support/planned_gangs.ts";

const head = { name: "head", size: 2, gpus: 1 };
const next = { ...head, name: "next" };

/** Two groups with keys, and whether the first is asked about after something happened to it. */
function askedAfter(happen: (group: GangGroup, cluster: ReturnType<typeof clusterOf>) => void) {
  const cluster = clusterOf({ nodes: { a: 4 }, pods: [] });
  const groups = [head, next].map((gang) => groupOf(gang, cluster));
  cluster.podBound([...cluster.pods.values()][0]!, "a");
  const keys = new QueueKeys();
  const batch = keys.due(groups, now);
  keys.sorted(batch, { keys: batch.map(({ group: { id } }) => ({ id, key: id })) }, now);
  assertEquals(batch.map(({ group }) => group), groups);
  assertEquals(keys.due(groups, now), []);
  happen(groups[0]!, cluster);
  const isDue = keys.due(groups, now).some(({ group }) => group === groups[0]);
  assertEquals(keys.isOutdated(groups[0]!), isDue);
  return isDue;
}

const cases: [what: string, isAsked: boolean, happen: Parameters<typeof askedAfter>[0]][] = [
  ["nothing", false, () => {}],
  ["a round failed", true, (group) => {
    group.attended = { ...group.attended, failedAt: "2026-01-01T00:00:00Z" };
  }],
  ["it was whole and lacks a member", true, (group) => {
    group.attended = { ...group.attended, whole: { "default/head": 2 } };
  }],
  ["something else is known of it", false, (group) => {
    group.attended = { ...group.attended, shortSince: now };
  }],
  ["another priority is declared", true, (_, cluster) => {
    for (const { pod, gang } of [...cluster.pods.values()]) {
      if (gang === "default/head") {
        cluster.podChanged({ ...pod, spec: { ...pod.spec, priority: 7 } });
      }
    }
  }],
  ["a member came", false, (_, cluster) => {
    createGang({ ...head, size: 3, minMember: 2 }, cluster);
  }],
];

for (const [what, isAsked, happen] of cases) {
  Deno.test(`queue keys: ${what}: a group is ${isAsked ? "" : "not "}asked about again`, () => {
    assertEquals(askedAfter(happen), isAsked);
  });
}
