import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import type { Leaves } from "../../shared/cluster/pod_record.ts";
import { preemptionBy } from "../../shared/cluster/preemption.ts";
import type { Attended, Refusal } from "../../shared/core/attend/attended.ts";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { SharedMap } from "../../shared/core/attend/shared_map.ts";
import { times } from "../../shared/core/attend/times.ts";
import { attended, callOf, gang, letIn, start } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "1" };
const member = podOf({ name: "a", schedulerName: "muster", labels });
const plan = { fit: { members: 1, of: 1 }, isShort: false, taken: [] };

/** What `preempt` answers for a pod that would take the room of these on node-1. */
function preempting(
  pod: typeof member,
  { victims = ["uid-low"], known = {}, evicts = false, sinceNode, before }: {
    /** Null: no node is proposed. */
    victims?: readonly string[] | null | undefined;
    known?: Partial<Attended>;
    evicts?: boolean;
    /** There is such a node, with room for one pod more, which has changed so many ms ago. */
    sinceNode?: number;
    /** The one that runs is known to leave. */
    before?: Leaves;
  },
) {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
  cluster.podChanged(podOf({ name: "low", nodeName: "node-1", phase: "Running" }));
  const low = cluster.pods.get("uid-low")!;
  low.leaves = before;
  const held = podOf({ name: "held", labels: { ...labels, "pod-group/name": "other" } });
  cluster.podChanged(held);
  cluster.podHeld(cluster.pods.get("uid-held")!, callOf("uid-held"));
  cluster.podChanged(pod);
  const group = pod === member ? new GangGroup(gang, Date.now()) : undefined;
  if (group) group.attended = attended(known);
  const proposed = victims && { "node-1": { Pods: victims.map((UID) => ({ UID })) } };
  let now = start;
  if (sinceNode !== undefined) {
    const status = { allocatable: { pods: "3" } };
    cluster.room.nodeChanged({ metadata: { name: "node-1", uid: "node-1" }, spec: {}, status });
    now = cluster.room.changedAt("node-1") + sinceNode;
  }
  const args = { Pod: pod, NodeNameToMetaVictims: proposed ?? {} };
  const answer = preemptionBy(args, { cluster, decisions, group, evicts, now });
  return { ...answer, low };
}

const high = podOf({ name: "high" });
const all = { NodeNameToMetaVictims: { "node-1": { Pods: [{ UID: "uid-low" }] } } };
const none = { NodeNameToMetaVictims: {} };
const kept = (reason: string) => ({
  standing: { phase: "refused", why: { reason, message: "" }, since: start } as never,
  plan,
});

Deno.test("preemptionBy(): a regular pod may evict, and whom it does is about to leave", () => {
  const { result, letGo, event, low } = preempting(high, {});
  assertEquals([result, letGo, event], [all, [], undefined]);
  const until = start + times.leaves;
  assertEquals(low.leaves, { preemptor: "uid-high", until, isAgain: false });
  assertEquals(low.evictableFor, "pod default/high of higher priority");
});

Deno.test("preemptionBy(): a pod may evict again whom the scheduler could not for it, which is known then", () => {
  const isAgainAfter = (preemptor: string) => {
    const { result, low } = preempting(high, { before: { preemptor, until: start } });
    assertEquals(result, all);
    return low.leaves?.isAgain;
  };
  assertEquals([isAgainAfter("uid-high"), isAgainAfter("uid-other")], [true, false]);
});

/** Budgets that the scheduler would violate on each node, and what the answer has of them. */
const violations: [proposed: Record<string, number>, answered: Record<string, number>][] = [
  [{ "node-1": 0, "node-2": 1 }, { "node-1": 0 }],
  [{ "node-1": 2, "node-2": 1 }, { "node-2": 1 }],
  [{ "node-1": 3 }, { "node-1": 3 }],
];

Deno.test("preemptionBy(): EX-10 fewest budgets are violated, and how many is answered as it was told", () => {
  for (const [proposed, answered] of violations) {
    const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
    const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
    const onNodes = (numbers: Record<string, number>) => ({
      NodeNameToMetaVictims: Object.fromEntries(
        Object.entries(numbers).map(([nodeName, NumPDBViolations]) => {
          const low = podOf({ name: nodeName, nodeName, phase: "Running" });
          cluster.podChanged(low);
          return [nodeName, { Pods: [{ UID: low.metadata.uid }], NumPDBViolations }];
        }),
      ),
    });
    const args = { Pod: high, ...onNodes(proposed) };
    const asking = { cluster, decisions, group: undefined, evicts: false, now: start };
    assertEquals(preemptionBy(args, asking).result, onNodes(answered));
  }
});

Deno.test("preemptionBy(): EX-7 a member that is held is let go, and never evicted: its node is not answered", () => {
  const { result, letGo, to } = preempting(high, { victims: ["uid-held"] });
  assertEquals([result, letGo, to.uid], [none, ["uid-held"], "uid-high"]);
});

Deno.test("preemptionBy(): a member that `filter` refuses evicts nobody, and its group hears of it", () => {
  const { result, event, low } = preempting(member, { known: kept("MembersMissing") });
  const { reason, isByPreempt } = event!.refusal;
  assertEquals([result, reason, isByPreempt], [none, "MembersMissing", true]);
  assertEquals(low.leaves, undefined);
});

Deno.test("preemptionBy(): a needed member that has room evicts nobody before the scheduler has heard of that room", () => {
  const on = (sinceNode: number) =>
    preempting(member, { known: { standing: letIn(), plan }, evicts: true, sinceNode });
  const { result, event } = on(times.heard - 1);
  assertEquals(result, none);
  assertEquals(event?.refusal.leftToGroup?.map(({ node, fits }) => [node, fits]), [["node-1", 1]]);
  assertEquals(on(times.heard).result, all);
});

Deno.test("preemptionBy(): a member leaves evictions to its group, where that evicts and it is needed", () => {
  const answers = (evicts: boolean, known: Partial<Attended>, victims?: null) => {
    const { result, event } = preempting(member, { known, evicts, victims });
    return [result, event && [event.uid, event.refusal.reason, event.refusal.leftToGroup]];
  };
  const entered = { standing: letIn(), plan };
  const told = ["uid-a", "GroupEvicts", []];
  assertEquals(answers(false, entered), [all, undefined]);
  assertEquals(answers(true, { standing: letIn() }), [none, told], "its group wakes it later");
  assertEquals(answers(true, { standing: letIn() }, null), [none, undefined], "nobody is left");
  const needless = { ...entered, plan: { ...plan, fit: { members: 0, of: 0 } } };
  assertEquals(answers(true, needless), [all, undefined]);
});

Deno.test("preemptionBy(): a member evicts nobody on nodes where its siblings may not be, which its group is not told of either", () => {
  for (const evicts of [false, true]) {
    const nothing = () => {};
    const listener = { podChanged: nothing, podGroupChanged: nothing, roomChanged: nothing };
    const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
    for (const rack of ["r1", "r2"]) {
      cluster.podChanged(podOf({ name: `low-${rack}`, nodeName: rack, phase: "Running" }));
      const metadata = { name: rack, uid: rack, labels: { rack } };
      cluster.room.nodeChanged({ metadata, spec: {}, status: { allocatable: { pods: "9" } } });
    }
    const annotations = { "muster.scheduling/required-topology": "rack" };
    const parts = { schedulerName: "muster", labels, annotations };
    cluster.podChanged(podOf({ ...parts, name: "sibling", nodeName: "r1", phase: "Running" }));
    const Pod = podOf({ ...parts, name: "a" });
    cluster.podChanged(Pod);
    const group = new GroupTable(cluster, nothing).find("default/gang")!;
    const answer = (racks: readonly string[], needed: number) => {
      const fit = { members: needed, of: needed };
      group.attended = attended({ standing: letIn(), plan: { ...plan, fit } });
      const proposed = racks.map((rack) => [rack, { Pods: [{ UID: `uid-low-${rack}` }] }]);
      const args = { Pod, NodeNameToMetaVictims: Object.fromEntries(proposed) };
      const preempting = { cluster, decisions, group, evicts, now: start };
      const { result, event } = preemptionBy(args, preempting);
      return [Object.keys(result.NodeNameToMetaVictims ?? {}), event?.refusal.leftToGroup?.length];
    };
    assertEquals(answer(["r1", "r2"], 0), [["r1"], undefined]);
    assertEquals(answer(["r2"], 0), [[], undefined]);
    assertEquals(answer(["r2"], 1), [[], undefined]);
    assertEquals(answer(["r1", "r2"], 1), evicts ? [[], 1] : [["r1"], undefined]);
  }
});

Deno.test("preemptionBy(): a member that filter has refused, and leaves evictions to its group, waits for either", () => {
  const refusal = { pod: { namespace: "default", name: "a" }, gang, sentence: "", at: start };
  const refused = SharedMap.empty<Refusal>().with("uid-a", { ...refusal, reason: "NoPlace" });
  const { event } = preempting(member, { known: { standing: letIn(), refused }, evicts: true });
  const expected = { ...refusal, reason: "NoPlace", leftToGroup: [], isByPreempt: true };
  assertEquals(event?.refusal, expected);
});
