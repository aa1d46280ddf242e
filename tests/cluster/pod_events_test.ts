import { assertEquals } from "@std/assert";
import { Cluster, type PodChange } from "../../shared/cluster/cluster.ts";
import { cameUngated, podEvents, type PodSituation } from "../../shared/cluster/pod_events.ts";
import { ownGate } from "../../shared/kubernetes/counting/census.ts";
import { isGated } from "../../shared/cluster/pod_record.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { attended } from "../support/attending.ts";
import { podOf, type PodParts } from "../support/objects.ts";

const gangName = "default/gang";
const labels = { "pod-group/name": "gang", "pod-group/min-available": "2" };
const now = 1_000_000;

function memberOf(name: string, parts: PodParts = {}): Pod {
  return podOf({ name, labels, schedulerName: "muster", ...parts });
}

/** The last change of a cluster in which these pods came or changed one after another, or went. */
function lastChange(
  pods: readonly (Pod | { gone: Pod })[],
  note: (cluster: Cluster) => void = () => {},
): { cluster: Cluster; change: PodChange } {
  let change: PodChange | undefined;
  const cluster = new Cluster({
    podChanged: (now) => change = now,
    podGroupChanged() {},
    roomChanged() {},
  }, { schedulerNames: ["muster"] });
  for (const [index, pod] of pods.entries()) {
    if (index === pods.length - 1) note(cluster);
    if ("gone" in pod) cluster.podDeleted(pod.gone);
    else cluster.podChanged(pod);
  }
  return { cluster, change: change! };
}

function eventsOf(...args: Parameters<typeof lastChange>) {
  const { cluster, change } = lastChange(...args);
  return podEvents(change, situationIn(cluster), now);
}

function situationIn({ gangs, room }: Cluster, placement = attended().placement): PodSituation {
  const group = { attended: attended({ placement }), gangs: [gangs.get(gangName) ?? []].flat() };
  return { gang: gangs.get(gangName), gangs, group, room, earlyRefusal: undefined, evicts: true };
}

const bound = { nodeName: "node-1", phase: "Running" };
const says = (message: string): Pod => ({
  ...memberOf("a"),
  status: {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  },
});

Deno.test("podEvents(): a member that the gates of others kept back comes when they are gone", () => {
  const gated = (...names: string[]) =>
    memberOf("a", { schedulingGates: names.map((name) => ({ name })) });
  const others = "kueue.x-k8s.io/admission";
  const came = [{ is: "member came", uid: "uid-a", refusal: undefined }];
  assertEquals(eventsOf([gated(others, ownGate), gated(ownGate)]) as object[], came);
  assertEquals(eventsOf([gated(others), memberOf("a")]) as object[], came);
  assertEquals(eventsOf([gated(ownGate), memberOf("a")]), [{ is: "member changed" }]);
});

Deno.test("podEvents(): a member comes, changes and leaves", () => {
  const a = memberOf("a");
  assertEquals(eventsOf([a]), [{ is: "member came", uid: "uid-a", refusal: undefined }]);
  assertEquals(eventsOf([a, a]), [{ is: "member changed" }]);
  const isLeaving = memberOf("a", { isTerminating: true });
  const left = { is: "member left", uid: "uid-a", isIncomplete: true } as const;
  assertEquals(eventsOf([a, isLeaving]), [left]);
  assertEquals(eventsOf([a, { gone: a }]), [left]);
});

const placed: PodParts = { nodeName: "node-1", phase: "Pending" };
const isBound = (cluster: Cluster) => cluster.podBound(cluster.pods.get("uid-a")!, "node-1");
const isAlso = (known: PodParts): Pod => memberOf("a", { ...placed, ...known });
const changes: readonly [what: string, before: Pod, after: Pod, isNews: boolean][] = [
  ["changes where it was known to be", isAlso({}), isAlso({ annotations: { a: "b" } }), false],
  ["runs", isAlso({}), isAlso(bound), true],
  [
    "says something else of its gang",
    isAlso({}),
    isAlso({ labels: { ...labels, "pod-group/min-available": "3" } }),
    true,
  ],
  ["shows a node that nobody knew", memberOf("a"), isAlso({}), true],
];

for (const [what, before, after, isNews] of changes) {
  Deno.test(`podEvents(): that a member ${what} is ${isNews ? "told" : "nobody's news"}`, () => {
    assertEquals(eventsOf([before, after]), isNews ? [{ is: "member changed" }] : []);
  });
}

Deno.test("podEvents(): that the watch shows a binding of the relay's own is nobody's news", () => {
  const waits = memberOf("a", { phase: "Pending" });
  assertEquals(eventsOf([waits, isAlso({})], isBound), []);
});

Deno.test("podEvents(): an earlier refusal comes with the member", () => {
  const { cluster, change } = lastChange([memberOf("a")]);
  const earlyRefusal = {
    pod: { namespace: "default", name: "a" },
    gang: gangName,
    reason: "JustSeen",
    sentence: "",
    at: now,
  };
  const [event] = podEvents(change, { ...situationIn(cluster), earlyRefusal }, now);
  assertEquals(event, { is: "member came", uid: "uid-a", refusal: earlyRefusal });
});

Deno.test("podEvents(): what the scheduler's own plugins say of a member is told when it is new", () => {
  const message = "0/1 nodes are available: 1 Insufficient cpu.";
  const [event] = eventsOf([memberOf("a"), says(message)]);
  if (event?.is !== "member changed") throw new Error(`heard "${event?.is}"`);
  assertEquals([event.failure?.message, event.failedBefore], [message, false]);
  assertEquals(eventsOf([says(message), says(message)]), [{ is: "member changed" }]);
});

Deno.test("podEvents(): of nodes with places for its group a failure names those that have just changed, and how many are there", () => {
  const there = ["n1", "n1", "n3"].map((nodeName, at) => memberOf(`b${at}`, { nodeName }));
  const fails = [memberOf("a"), says("0/2 nodes are available.")];
  const { cluster, change } = lastChange([...there, ...fails]);
  const uses = ["n1", "n2"].map((node) => ({ node, kind: "k", requests: new Map(), count: 1 }));
  const situation = {
    ...situationIn(cluster, { ...attended().placement, uses }),
    room: { hasJustChanged: (node: string) => node === "n2" },
  };
  const [event] = podEvents(change, situation, now);
  if (event?.is !== "member changed") throw new Error(`heard "${event?.is}"`);
  assertEquals([event.changed, event.alikeOn], [["n2"], [["n1", 2]]]);
});

for (
  const [what, others, isTooFew] of [["too few", ["b"], true], [
    "enough",
    ["b", "c"],
    false,
  ]] as const
) {
  Deno.test(`podEvents(): a member that had a node loses its place, and ${what} are left`, () => {
    const all = [memberOf("a", bound), ...others.map((name) => memberOf(name, bound))];
    const [lost, left] = eventsOf([...all, { gone: all[0]! }]);
    assertEquals(lost, {
      is: "place lost",
      uid: "uid-a",
      gang: gangName,
      isTooFew,
      by: undefined,
      rest: undefined,
    });
    assertEquals(left, { is: "member left", uid: "uid-a", isIncomplete: isTooFew });
  });
}

Deno.test("podEvents(): that a gate could not be removed is a change, as no watch shows it", () => {
  const changes: PodChange[] = [];
  const cluster = new Cluster({
    podChanged: (change) => changes.push(change),
    podGroupChanged() {},
    roomChanged() {},
  });
  cluster.podChanged(memberOf("a", { schedulingGates: [{ name: ownGate }] }));
  const record = cluster.pods.get("uid-a")!;
  cluster.podUngated(record);
  assertEquals([isGated(record), changes.length], [false, 1]);
  cluster.podStillGated(record);
  assertEquals([isGated(record), changes.length], [true, 2]);
  assertEquals(podEvents(changes[1]!, situationIn(cluster), now), [{ is: "member changed" }]);
  cluster.podDeleted(record.pod);
  cluster.podStillGated(record);
  assertEquals(changes.length, 3, "nothing is told of one that is gone");
});

const siblings: readonly [what: string, sibling: PodParts, isIncomplete: boolean][] = [
  ["waits", {}, false],
  ["has a node", bound, false],
  ["has succeeded", { nodeName: "node-1", phase: "Succeeded" }, false],
  ["has failed", { nodeName: "node-1", phase: "Failed" }, true],
  ["is being deleted", { isTerminating: true }, true],
];

for (const [what, sibling, isIncomplete] of siblings) {
  Deno.test(`podEvents(): a member that waited leaves; its gang of two, of which one is left that ${what} beside a new one, is ${isIncomplete ? "incomplete" : "complete"}`, () => {
    const all = [memberOf("a"), memberOf("b", sibling), memberOf("c")];
    assertEquals(eventsOf([...all, { gone: all[0]! }]), [
      { is: "member left", uid: "uid-a", isIncomplete },
    ]);
  });
}

for (const evicts of [true, false]) {
  Deno.test(`podEvents(): the rest of a gang that is broken for others ${evicts ? "leaves too" : "is left to the scheduler"}`, () => {
    const all = ["a", "b"].map((name) => memberOf(name, bound));
    const { cluster, change } = lastChange([...all, { gone: all[0]! }], ({ pods }) => {
      pods.get("uid-a")!.evictedFor = { group: "default/high", by: "gang default/high" };
    });
    const [lost] = podEvents(change, { ...situationIn(cluster), evicts }, now);
    if (lost?.is !== "place lost") throw new Error(`heard "${lost?.is}"`);
    assertEquals([lost.by, lost.rest], ["gang default/high", evicts ? ["uid-b"] : undefined]);
  });
}

Deno.test("cameUngated(): only a new member that could have had the gate", () => {
  const gate = { schedulingGates: [{ name: ownGate }] };
  const isUngated = (...pods: Pod[]) => cameUngated(lastChange(pods).change);
  assertEquals(isUngated(memberOf("a")), true);
  assertEquals(isUngated(memberOf("a"), memberOf("a")), false);
  assertEquals(isUngated(memberOf("a", gate)), false);
  assertEquals(isUngated(memberOf("a", bound)), false);
  assertEquals(isUngated(memberOf("a", { schedulerName: "other" })), false);
});
