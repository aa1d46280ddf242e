import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { Chance } from "../../../tools/chance.ts";
import { type Deed, describeDeed, drawActions } from "../../../tools/chaos/actions.ts";
import {
  drawGang,
  type Gang,
  gpusPerNode,
  membersOf,
  nodeCount,
  nodesPerRack,
  podOf,
} from "../../../tools/chaos/gangs.ts";

const minute = { seed: 1, minutes: 1, kills: 25 };

Deno.test("drawActions() draws the same for the same options, and others for another seed", () => {
  assertEquals(drawActions(minute), drawActions(minute));
  assertNotEquals(drawActions(minute), drawActions({ ...minute, seed: 2 }));
});

Deno.test("drawActions() draws every kind of fault, each within the time, and as many kills as asked for", () => {
  fc.assert(fc.property(fc.nat(), (seed) => {
    const actions = drawActions({ ...minute, seed });
    const kinds = new Set(actions.map(({ deed }) => deed.do));
    const all: Deed["do"][] = [
      "create",
      "kill",
      "restart",
      "stop",
      "cut",
      "silence",
      "delay",
      "step clock",
      "fill disk",
      "lose store",
      "take node",
      "delete pods",
      "edit gang",
    ];
    assertEquals(new Set(all), kinds);
    assertEquals(actions.filter(({ deed }) => deed.do === "kill").length, minute.kills);
    assert(actions.every(({ at }, index) => at >= (actions[index - 1]?.at ?? 0) && at < 60_000));
    const faults = actions.filter(({ deed }) => deed.do !== "create");
    assert(faults.every(({ at }) => at % 60_000 < 40_000), "a minute ends without faults");
    for (const { deed } of actions) assert(describeDeed(deed).length > 5);
  }));
});

Deno.test("drawGang() draws gangs that have room on the empty cluster, in one rack where they require it", () => {
  fc.assert(fc.property(fc.nat(), (seed) => {
    const gang = drawGang(new Chance(seed), "gang");
    const nodes = gang.rack === "required" ? nodesPerRack : nodeCount;
    const free = Array<number>(nodes).fill(gpusPerNode);
    const members = membersOf(gang).toSorted((a, b) => b.role.gpus - a.role.gpus);
    for (const { role } of members) {
      const node = free.findIndex((gpus) => gpus >= role.gpus);
      assert(node >= 0, JSON.stringify(gang));
      free[node]! -= role.gpus;
    }
    assert((gang.minMember ?? 1) <= members.length);
  }));
});

Deno.test("podOf() declares each role of a gang group as a gang, and that all start together", () => {
  const roles = [{ name: "ps", size: 1, gpus: 1 }, { name: "worker", size: 3, gpus: 2 }];
  const common = { priority: "chaos-low", lateMs: 0, runsMs: 0, minMember: 4 } as const;
  const gang: Gang = { ...common, name: "g", isGroup: true, roles };
  const pods = membersOf(gang).map((member) => gangOf(podOf(gang, member)));
  const groups = JSON.stringify(["chaos/g-ps", "chaos/g-worker"]);
  assertEquals(pods, [
    { gang: "g-ps", quorum: "1", groups },
    ...Array(3).fill({ gang: "g-worker", quorum: "3", groups }),
  ]);
});

function gangOf(pod: object) {
  const { labels, annotations } = (pod as { metadata: Record<string, Record<string, string>> })
    .metadata;
  return {
    gang: labels?.["pod-group.scheduling.sigs.k8s.io/name"],
    quorum: labels?.["pod-group.scheduling.sigs.k8s.io/min-available"],
    groups: annotations?.["gang.scheduling.koordinator.sh/groups"],
  };
}
