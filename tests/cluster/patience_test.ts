import { assertEquals } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { GroupTable } from "../../shared/cluster/group_table.ts";
import { patienceWith } from "../../shared/cluster/patience.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import type { Refused } from "../../shared/core/attend/standing.ts";
import { times } from "../../shared/core/attend/times.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { attended, gang, kept, letIn, start } from "../support/attending.ts";
import { podOf, type PodParts } from "../support/objects.ts";

const { follows, gathers, gathersMost, gathersPerMember, judged } = times;
const plan = { fit: { members: 2, of: 2 }, isShort: false };
const missing: Refused = {
  phase: "refused",
  why: { reason: "MembersMissing", message: "1 of 2" },
  since: start,
};
const full = { conditions: [condition("0/1 nodes are available")] };

function condition(message: string) {
  return { type: "PodScheduled", status: "False", reason: "Unschedulable", message } as const;
}

function member(name: string, parts: PodParts = {}): Pod {
  const labels = { "pod-group/name": name.split("-")[0]!, "pod-group/min-available": "2" };
  return podOf({ name, labels, schedulerName: "muster", ...parts });
}

function regular(parts: PodParts = {}): Pod {
  return podOf({ name: "regular", schedulerName: "muster", ...parts });
}

function told(pod: Pod, status: Partial<Pod["status"]>): Pod {
  return { ...pod, status: { ...pod.status, ...status } };
}

interface Situation {
  /** Of the gang whose member gang-0 is tried. */
  known?: Partial<Attended>;
  pods?: Pod[];
  /** What is known of gang `other`. */
  other?: Partial<Attended>;
  /** When the call came, and how long ago that was, in ms. */
  calledAt?: number;
  after?: number;
}

/** How much longer the call about gang-0 waits. */
function patience(
  { known = {}, pods = [member("gang-0")], other, calledAt = start, after = 0 }: Situation,
): number {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener, { schedulerNames: ["muster"], clock: () => start });
  const groups = new GroupTable(cluster, () => {});
  for (const pod of pods) cluster.podChanged(pod);
  for (const { id } of cluster.gangs.values()) groups.find(id);
  const own = groups.of(gang);
  if (own) own.attended = attended(known);
  const others = groups.of("default/other");
  if (others) others.attended = attended(other);
  return patienceWith({ uid: "uid-gang-0", gang, calledAt }, {
    cluster,
    groups,
    now: calledAt + after,
  });
}

const complete = [member("gang-0"), member("gang-1")];
const withOther = [member("gang-0"), member("other-0")];
const late = { first: start - gathers - gathersPerMember + 1, last: start };
const crowd = { "pod-group/name": "gang", "pod-group/min-available": "9000" };
const many = Array.from({ length: 3000 }, (_, i) => member(`gang-${i}`, { labels: crowd }));

type Row = [id: string, situation: Situation, ms: number];
const rows: Row[] = [
  ["siblings may follow, and then the verdict", {}, follows + judged],
  ["some of that time is over", { after: 20 }, follows + judged - 20],
  ["siblings may follow", { known: { standing: missing, plan } }, follows],
  ["no sibling has followed", { known: { standing: missing, plan }, after: follows }, 0],
  ["siblings have followed for long", { known: { standing: missing, plan, arrivals: late } }, 1],
  ["very many siblings have followed for longer", {
    pods: many,
    known: { standing: missing, plan, arrivals: { first: start - gathersMost + 1, last: start } },
  }, 1],
  ["the verdict is on its way", { pods: complete }, judged],
  ["the verdict is of fewer members", {
    pods: complete,
    known: { standing: missing, plan },
  }, judged],
  ["the verdict takes too long", { pods: complete, after: judged }, 0],
  ["the verdict is there", { pods: complete, known: { standing: kept, plan } }, 0],
  ["it may be tried", { known: { standing: letIn() } }, 0],
  ["nothing is known of its gang", { pods: [] }, judged],
  ["nothing has come to be known of its gang", { pods: [], after: judged }, 0],
  ["the pod itself is not known", {
    pods: [member("gang-1")],
    known: { standing: kept, plan },
    calledAt: start + 1000,
  }, judged],
  ["a regular pod comes", { pods: [member("gang-0"), regular()] }, 0],
  ["a regular pod came long ago, and is not tried", {
    pods: [regular()],
    calledAt: start + 2 * times.keepsHeld,
  }, judged],
  ["one of another scheduler comes", {
    pods: [member("gang-0"), regular({ schedulerName: "default-scheduler" })],
  }, follows + judged],
  ["one has its node", {
    pods: [member("gang-0"), regular({ nodeName: "n1" })],
  }, follows + judged],
  ["one waits behind a gate", {
    pods: [member("gang-0"), regular({ schedulingGates: [{ name: "another" }] })],
  }, follows + judged],
  ["one has found no node", {
    pods: [member("gang-0"), told(regular(), full)],
  }, follows + judged],
  ["one is going to have one", {
    pods: [member("gang-0"), told(regular(), { ...full, nominatedNodeName: "n1" })],
  }, 0],
  [
    "one is deleted",
    { pods: [member("gang-0"), regular({ isTerminating: true })] },
    follows + judged,
  ],
  ["another gang is let in", { pods: withOther, other: { standing: letIn() } }, 0],
  ["another gang is let in, and not tried for long", {
    pods: [member("other-0")],
    other: { standing: letIn() },
    calledAt: start + times.keeps,
  }, judged],
  [
    "another gang is kept out",
    { pods: withOther, other: { standing: kept } },
    follows + judged,
  ],
  ["another gang comes", { pods: withOther }, follows + judged],
  ["another gang has its nodes", {
    pods: [member("gang-0"), member("other-0", { nodeName: "n1" })],
    other: { standing: letIn() },
  }, follows + judged],
  ["the rest of another gang finds no node", {
    pods: [member("gang-0"), told(member("other-0"), full)],
    other: { standing: letIn() },
  }, follows + judged],
];

for (const [id, situation, ms] of rows) {
  Deno.test(`patienceWith(): where ${id}: ${ms} ms`, () => {
    assertEquals(patience(situation), ms);
  });
}
