import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { isJudgedNow } from "../../shared/cluster/judged.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import { attended, gang, start } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const why = { reason: "InsufficientResources", message: "no room" } as const;
const kept = {
  standing: { phase: "refused", why, since: start } as never,
  plan: { fit: { members: 0, of: 1 }, isShort: true },
};
const clears = (victims: string[]) => ({
  clearance: { taken: [], members: [], victims, names: ["default/low"] },
});
const evicted = { group: gang, by: "gang" };
const byAnother = { group: "default/another", by: "another gang" };

type Row = [
  id: string,
  known: Partial<Attended>,
  low: "there" | "gone" | typeof evicted,
  isJudged: boolean,
];
const rows: Row[] = [
  ["nobody leaves for it", kept, "gone", true],
  ["its verdict is on its way anyhow", { ...kept, plan: undefined }, "there", false],
  ["whom it is to evict is there", { ...kept, ...clears(["uid-low"]) }, "there", true],
  ["whom it evicts is there", { ...kept, ...clears(["uid-low"]) }, evicted, true],
  ["whom it evicted has left since", { ...kept, ...clears(["uid-low"]) }, "gone", false],
  ["who left when it was planned is there", { ...kept, ...clears([]) }, evicted, true],
  ["who left when it was planned has left", { ...kept, ...clears([]) }, "gone", false],
  ["another one leaves for others", { ...kept, ...clears([]) }, byAnother, false],
];

for (const [id, known, low, isJudged] of rows) {
  Deno.test(`isJudgedNow(): ${id}: ${isJudged}`, () => {
    const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
    const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
    if (low !== "gone") {
      cluster.podChanged(podOf({ name: "low", nodeName: "node-1", phase: "Running" }));
      if (low !== "there") cluster.pods.get("uid-low")!.evictedFor = low;
    }
    const group = new GangGroup(gang, Date.now());
    group.attended = attended({ id: gang, ...known });
    assertEquals(isJudgedNow(group, cluster), isJudged);
  });
}
