import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { offeredMember } from "../../shared/cluster/offered_member.ts";
import { Spare } from "../../shared/core/attend/spare.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { gang } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "1" };
const spot = { key: "spot", effect: "PreferNoSchedule" };
const spread = [{ topologyKey: "rack", whenUnsatisfiable: "ScheduleAnyway" }];

/** What `filter` is asked about a member, in a cluster that shows it or not, and a node `spot` that is the last choice. */
function offered(
  { nodes = ["n1"], spec = {}, isSeen = true, nominated, afterMs = 0 }: {
    nodes?: string[];
    spec?: Partial<Pod["spec"]>;
    isSeen?: boolean;
    nominated?: string;
    afterMs?: number;
  },
) {
  const cluster = new Cluster({ podChanged() {}, podGroupChanged() {}, roomChanged() {} });
  const bare = podOf({ name: "a", labels });
  const pod = { ...bare, spec: { ...bare.spec, ...spec } };
  cluster.room.nodeChanged({ metadata: { name: "n1", uid: "n1" } });
  cluster.room.nodeChanged({ metadata: { name: "spot", uid: "spot" }, spec: { taints: [spot] } });
  if (isSeen) cluster.podChanged(pod);
  const asked = nominated === undefined
    ? pod
    : { ...pod, status: { ...pod.status, nominatedNodeName: nominated } };
  const group = new GangGroup(gang, Date.now());
  return offeredMember(asked, {
    gang,
    nodes,
    group,
    cluster,
    spare: new Spare(),
    now: Date.now() + afterMs,
  });
}

Deno.test("offeredMember(): a member that the watch shows is of its kind, and has room where there is some", () => {
  const { kind, roomOn } = offered({});
  assertEquals([typeof kind, roomOn("n1")], ["string", undefined]);
});

Deno.test("offeredMember(): one that it does not show may go anywhere", () => {
  const { kind, roomOn, isIndifferent } = offered({ isSeen: false });
  assertEquals([kind, roomOn("n1"), isIndifferent], [undefined, "spare", false]);
});

Deno.test("offeredMember(): it is said where it was nominated", () => {
  assertEquals([offered({}), offered({ nominated: "n1" })].map(({ nominated }) => nominated), [
    undefined,
    "n1",
  ]);
});

Deno.test("offeredMember(): of a node that has just changed the scheduler may not have heard", () => {
  const changed = (afterMs: number) => offered({ afterMs }).hasJustChanged("n1");
  assertEquals([0, times.staleCycle].map(changed), [true, false]);
});

for (const [count, expected] of [[99, false], [100, true]] as const) {
  Deno.test(`offeredMember(): of ${count} nodes there ${expected ? "may be" : "are no"} more`, () => {
    const nodes = Array.from({ length: count }, (_, index) => `n${index}`);
    assertEquals(offered({ nodes }).isPart, expected);
  });
}

const said: [string, expected: boolean, Parameters<typeof offered>[0]][] = [
  ["nothing is said", true, {}],
  ["nothing is said, and a node has not been seen", true, { nodes: ["n1", "n2"] }],
  ["its pod says something", false, { spec: { topologySpreadConstraints: spread } }],
  ["a node says something", false, { nodes: ["n1", "spot"] }],
  ["another node says something", true, { nodes: ["n1"] }],
];

for (const [what, expected, about] of said) {
  Deno.test(`offeredMember(): of where it would rather run ${what}`, () => {
    assertEquals(offered(about).isIndifferent, expected);
  });
}
