import { assertEquals, assertStringIncludes } from "@std/assert";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { filterMember, refusalNow } from "../../shared/cluster/filtering.ts";
import { GangGroup } from "../../shared/cluster/gang_group.ts";
import type { Attended } from "../../shared/core/attend/attended.ts";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { SharedMap } from "../../shared/core/attend/shared_map.ts";
import { Spare } from "../../shared/core/attend/spare.ts";
import { attended, gang, letIn, start } from "../support/attending.ts";
import { podOf } from "../support/objects.ts";

const labels = { "pod-group/name": "gang", "pod-group/min-available": "1" };
const member = podOf({ name: "a", labels });
const nodes = ["n1", "n2"];

/** What `filter` is asked in a cluster that shows the member, or not yet. */
function filtering(known: Partial<Attended>, isSeen = true) {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener);
  if (isSeen) cluster.podChanged(member);
  const group = new GangGroup(gang, Date.now());
  group.attended = attended(known);
  const { kind } = cluster.pods.get("uid-a") ?? {};
  return { cluster, decisions, group, kind, spare: new Spare(), now: start };
}

/** A group that may go nowhere but to these nodes. */
function plannedOn(kind: string, ...goals: string[]): Partial<Attended> {
  const uses = goals.map((node) => ({ node, kind, requests: new Map(), count: 1 }));
  return {
    standing: letIn(),
    placement: { steering: "strict", uses, isPublished: false, chosen: SharedMap.empty() },
  };
}

const why = { reason: "MembersMissing", message: "1 of 2" } as const;

Deno.test("filterMember(): a group that is kept out hears of its member, who is told why", () => {
  const standing = { phase: "refused", why, since: start } as const;
  const { event, ...answer } = filterMember(member, { gang, nodes }, filtering({ standing }));
  assertEquals(answer, { nodes: [], sentence: "Muster: 1 of 2" });
  assertEquals([event?.uid, event?.refusal.reason, event?.takenOn], ["uid-a", why.reason, []]);
});

Deno.test("filterMember(): what the scheduler takes a refused member on it does not refuse any more", () => {
  const { kind } = filtering({});
  const refused = new Map([["n2", { at: start, isRefused: true, tries: 0 }]]);
  const standing = { phase: "refused", why, since: start } as const;
  const known = filtering({ standing, refusedNodes: new Map([[kind!, refused]]) });
  assertEquals(filterMember(member, { gang, nodes }, known).event?.takenOn, ["n2"]);
});

Deno.test("filterMember(): a member may take the node that it is planned on, and is on its way then", () => {
  const { kind } = filtering({});
  const known = filtering(plannedOn(kind!, "n2"));
  const { attended: after, ...answer } = filterMember(member, { gang, nodes }, known);
  assertEquals(answer, { nodes: ["n2"] });
  assertEquals([...after!.coming.keys()], ["uid-a"]);
  assertEquals(after?.placement.chosen.get("uid-a")?.node, "n2");
});

Deno.test("filterMember(): a member that has no place waits for one, and its group hears of it", () => {
  const { kind } = filtering({});
  const known = filtering(plannedOn(kind!));
  const answer = filterMember(member, { gang, nodes }, known);
  assertEquals([answer.nodes, answer.event?.refusal.reason], [[], "NoPlace"]);
  assertEquals(answer.sentence, answer.event?.refusal.sentence);
});

Deno.test("filterMember(): where the scheduler is about to ask again its group hears nothing", () => {
  const { kind } = filtering({});
  const nominated = { ...member, status: { phase: "Pending", nominatedNodeName: "n1" } };
  const known = filtering(plannedOn(kind!, "n2"));
  const answer = filterMember(nominated, { gang, nodes: ["n1"] }, known);
  assertEquals([answer.nodes, answer.event], [[], undefined]);
  assertStringIncludes(answer.sentence!, "Muster:");
});

Deno.test("refusalNow(): of a gang that has not been seen, and not of one that was let in", () => {
  const unseen = { ...filtering({}, false), group: undefined };
  const event = refusalNow(member, { gang, nodes }, unseen);
  assertEquals([event?.refusal.reason, event?.refusal.kind, event?.takenOn], [
    "JustSeen",
    undefined,
    undefined,
  ]);
  const entered = filtering({ standing: letIn() });
  assertEquals(refusalNow(member, { gang, nodes }, entered), undefined);
});
