import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { Shown } from "../../shared/cluster/shown.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

function gangOf(name: string) {
  const createdAt = new Date(now).toISOString();
  return { gang: { namespace: "default", name, minMember: 1, createdAt } };
}

Deno.test("shown: of groups that are reported while maps rest the last one lacks a map, until one is made", () => {
  const listener = { podChanged: () => {}, podGroupChanged: () => {}, roomChanged: () => {} };
  const cluster = new Cluster(listener, {});
  cluster.room.nodeChanged({
    metadata: { name: "n1", uid: "n1", labels: {} },
    spec: {},
    status: { allocatable: { cpu: "8" } },
  });
  const groups = ["default/a", "default/b"].map((id) => new GangGroup(id, Date.now()));
  let at = 0;
  const shown = new Shown({
    cluster,
    holds: [],
    groups: () => groups,
    groupOf: (gang) => groups.find(({ id }) => id === gang),
    // Each map takes 5 ms, so the next one is made a second later.
    clock: () => at += 5,
  });
  const lacking = (name: string) => {
    const isMade = shown.of([gangOf(name)], now).map !== undefined;
    return [isMade, ...groups.filter(({ lacksMap }) => lacksMap).map(({ id }) => id)];
  };
  assertEquals(lacking("a"), [true]);
  assertEquals(lacking("a"), [false, "default/a"]);
  assertEquals(lacking("b"), [false, "default/b"]);
  at += 1000;
  assertEquals(lacking("a"), [true]);
});
