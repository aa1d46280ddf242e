import { assertEquals, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Circuit } from "../../shared/client/circuit.ts";
import { KubeError } from "../../shared/client/kube_api.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import type { Question } from "../../shared/core/attend/question.ts";
import { decisions } from "../../shared/core/attend/decisions.ts";
import { times } from "../../shared/core/attend/times.ts";
import { type Group, groupName } from "../../shared/core/gang/facts.ts";
import { Holds } from "../../relay/run/holds.ts";
import { Reconciler } from "../../relay/run/reconciler.ts";
import type { Parts } from "../../relay/run/parts.ts";
import type { ObjectMeta } from "../../shared/kubernetes/types.ts";
import { gateLabel, type Write } from "../../shared/kubernetes/writes.ts";
import { podOf } from "../support/objects.ts";
import { silentMetrics } from "../support/silent_metrics.ts";

interface Reconciling {
  readonly cluster: Cluster;
  readonly reconciler: Reconciler;
  /** What prefilter was asked. */
  readonly asked: Group[];
  /** Answers that a gang is forgotten. */
  readonly forget: () => void;
  /** Names of pods. */
  readonly poked: string[];
  /** What the gate's switch was written to say. */
  readonly gatings: unknown[];
}

/** A reconciler; nothing but prefilter is called before a member is held, and unreserve when all are gone. */
function reconciling(
  verdict: "allow" | "reject" | "no answer",
  { isOptIn = false, isAway = () => false }: { isOptIn?: boolean; isAway?: () => boolean } = {},
): Reconciling {
  const asked: Group[] = [];
  const poked: string[] = [];
  const gatings: unknown[] = [];
  const forgotten = Promise.withResolvers<unknown>();
  const forget = () => forgotten.resolve({ verdict: "reject", reason: "Gone", message: "gone" });
  const cluster: Cluster = new Cluster({
    podChanged: (change) => reconciler.podChanged(change),
    podGroupChanged: (gang) => reconciler.podGroupChanged(gang),
    roomChanged: () => reconciler.attendant.planLoop.soon(),
  }, { isOptIn });
  const ask = ({ stage, request }: Question) => {
    if (stage === "unreserve") return forgotten.promise;
    asked.push(request);
    if (verdict === "no answer") return Promise.reject(new TypeError("connection refused"));
    return Promise.resolve({ verdict, reason: "MembersMissing", message: "1 of 2" });
  };
  const reconciler: Reconciler = new Reconciler({
    relayId: "relay",
    decisions,
    cluster,
    holds: new Holds(cluster),
    metrics: silentMetrics(),
    circuit: new Circuit({ failures: { inc: () => {} }, log: () => {} }),
    policy: { ask, url: "http://functions" },
    write: ({ path, body }: Write) => {
      if (isAway()) return Promise.reject(new KubeError(503, { message: "no leader" }));
      if (path.includes("/pods/")) poked.push(path.split("/")[6]!);
      if (path.endsWith("/muster-gate")) {
        gatings.push((body as { metadata: ObjectMeta }).metadata.labels?.[gateLabel]);
      }
      return Promise.resolve();
    },
    say: () => {},
    looked: () => {},
    backfill: { reservations: 0, backfillMs: 0 },
    longestHoldMs: 60_000,
  } as unknown as Parts);
  return { cluster, reconciler, asked, forget, poked, gatings };
}

const labels = {
  "pod-group.scheduling.sigs.k8s.io/name": "train",
  "pod-group.scheduling.sigs.k8s.io/min-available": "2",
};
const members = ["train-0", "train-1"].map((name) => podOf({ name, labels }));

Deno.test("Reconciler asks about a gang also when a member is refused at the very time that its siblings are awaited for", async () => {
  using time = new FakeTime();
  const { cluster, reconciler, asked } = reconciling("reject");
  const [member] = members;
  // Where it could be placed meanwhile, who is tried is answered at once.
  cluster.podChanged(podOf({ name: "regular" }));
  cluster.podChanged(member!);
  await time.tickAsync(15);
  assertEquals(asked.length, 0, "its sibling may come");
  // A machine that is busy calls a timer late: the time has come, the timer has not been called.
  const { now } = Date;
  Date.now = () => now() + 10;
  void reconciler.filter(member!, { gang: "default/train", nodes: [] });
  await time.tickAsync(50);
  Date.now = now;
  reconciler.attendant.stop();
  assertEquals(asked.length, 1);
});

Deno.test("Reconciler wakes members that were refused before they were seen, also the first of their gang", async () => {
  using time = new FakeTime();
  const { cluster, reconciler, poked } = reconciling("allow");
  for (const member of members) {
    void reconciler.filter(member, { gang: "default/train", nodes: [] });
  }
  await time.tickAsync(1000);
  assertEquals(poked, []);
  for (const member of members) cluster.podChanged(member);
  await time.tickAsync(1000);
  reconciler.attendant.stop();
  assertEquals(poked.toSorted(), ["train-0", "train-1"]);
});

Deno.test("Reconciler writes nothing any more, once another relay acts, that it could not write before", async () => {
  using time = new FakeTime();
  let isAway = true;
  const { cluster, reconciler, poked } = reconciling("allow", { isAway: () => isAway });
  for (const member of members) {
    void reconciler.filter(member, { gang: "default/train", nodes: [] });
  }
  await time.tickAsync(1000);
  for (const member of members) cluster.podChanged(member);
  await time.tickAsync(1000);
  reconciler.attendant.lead(false);
  isAway = false;
  await time.tickAsync(20_000);
  reconciler.attendant.stop();
  assertEquals(poked, []);
});

Deno.test("Reconciler tells of every group again where the index was lost, one after another and as another relay", async () => {
  using time = new FakeTime();
  const { cluster, reconciler, asked } = reconciling("reject");
  const gangs = 50;
  for (let index = 0; index < gangs; index++) {
    const name = "pod-group.scheduling.sigs.k8s.io/name";
    cluster.podChanged(podOf({ name: `pod-${index}`, labels: { ...labels, [name]: `${index}` } }));
  }
  await time.tickAsync(20_000);
  const relays = () => [...new Set(asked.splice(0).map(({ relay }) => relay.id))];
  const [before, ...others] = relays();
  assertEquals(others, []);
  reconciler.attendant.tellAgain();
  await time.tickAsync(times.tellAgain * gangs / 2 + times.lookCalm);
  assertEquals(asked.length, gangs / 2);
  await time.tickAsync(times.tellAgain * gangs / 2);
  assertEquals(new Set(asked.map((group) => groupName(group))).size, gangs);
  assertEquals([asked.length, relays().includes(before!)], [gangs, false]);
  reconciler.attendant.stop();
});

/** The scheduler tries the first member, of which alone the relay knows; what it is answered, as far as it is. */
function trying({ cluster, reconciler }: Reconciling): { nodes?: readonly string[] } {
  const answer: { nodes?: readonly string[] } = {};
  const [member] = members;
  cluster.podChanged(member!);
  void reconciler.filter(member!, { gang: "default/train", nodes: ["node-1"] })
    .then(({ nodes }) => Object.assign(answer, { nodes }));
  return answer;
}

Deno.test("Reconciler lets the first member wait for its siblings, and for the verdict: nobody is refused, and nobody woken", async () => {
  using time = new FakeTime();
  const known = reconciling("allow");
  const answer = trying(known);
  await time.tickAsync(40);
  assertEquals([answer, known.asked.length], [{}, 0]);
  known.cluster.podChanged(members[1]!);
  await time.tickAsync(200);
  assertEquals([answer, known.asked.length], [{ nodes: ["node-1"] }, 1]);
  assertEquals(known.poked, []);
  known.reconciler.attendant.stop();
});

for (
  const [who, happens, afterMs] of [
    [
      "a regular pod that comes",
      ({ cluster }) => cluster.podChanged(podOf({ name: "regular" })),
      0,
    ],
    ["a relay that stops", ({ reconciler }) => reconciler.attendant.stop(), 0],
    ["siblings that do not come", () => {}, 1000],
  ] satisfies [string, (known: Reconciling) => void, number][]
) {
  Deno.test(`Reconciler has the first member of a gang not wait for its siblings with ${who}`, async () => {
    using time = new FakeTime();
    const known = reconciling("reject");
    const answer = trying(known);
    await time.tickAsync(20);
    assertEquals(answer, {});
    happens(known);
    await time.tickAsync(afterMs);
    assertEquals(answer, { nodes: [] });
    known.reconciler.attendant.stop();
  });
}

Deno.test("Reconciler knows of an outage while a gang waits for the functions, and of none when another relay acts", async () => {
  using time = new FakeTime();
  const { cluster, reconciler } = reconciling("no answer");
  assertEquals(reconciler.attendant.outage, undefined);
  for (const member of members) cluster.podChanged(member);
  await time.tickAsync(1000);
  assertStringIncludes(reconciler.attendant.outage ?? "", "http://functions do not answer");
  reconciler.attendant.lead(false);
  assertEquals(reconciler.attendant.outage, undefined);
  reconciler.attendant.stop();
});

for (const isOptIn of [false, true]) {
  Deno.test(`Reconciler turns the gate's switch on again that somebody else has turned off${isOptIn ? ", also where admission is opt-in" : ""}`, async () => {
    using time = new FakeTime();
    const { cluster, reconciler, gatings } = reconciling("reject", { isOptIn });
    const { gateSwitch } = reconciler.attendant.planLoop;
    gateSwitch.happened({ is: "planned", isQueueing: true });
    await time.tickAsync(times.gateRest);
    assertEquals(gatings, ["on"]);
    cluster.podChanged(members[0]!);
    await time.tickAsync(0);
    reconciler.attendant.stop();
    assertEquals(gatings, ["on", "on"]);
  });
}

Deno.test("Reconciler asks about a gang that came again while the functions were told that it is gone", async () => {
  using time = new FakeTime();
  const { cluster, reconciler, asked, forget } = reconciling("reject");
  for (const member of members) cluster.podChanged(member);
  await time.tickAsync(1000);
  assertEquals(asked.length, 1);
  for (const member of members) cluster.podDeleted(member);
  await time.tickAsync(1000);
  for (const name of ["train-2", "train-3"]) cluster.podChanged(podOf({ name, labels }));
  await time.tickAsync(1000);
  assertEquals(asked.length, 1, "one question at a time");
  forget();
  await time.tickAsync(1000);
  reconciler.attendant.stop();
  assertEquals(asked.length, 2);
});

Deno.test("Reconciler has who asks to evict wait for the verdict that follows when those have left who were evicted for the gang", async () => {
  using time = new FakeTime();
  const { cluster, reconciler } = reconciling("reject");
  for (const member of members) cluster.podChanged(member);
  await time.tickAsync(1000);
  const group = reconciler.groupOf("default/train")!;
  const judged = group.attended;
  const clearance = { taken: [], members: [], victims: ["uid-low"], names: ["default/low"] };
  reconciler.attendant.set(group, { ...judged, clearance });
  const answered: string[] = [];
  const ask = (who: string) =>
    void reconciler.whenJudged("default/train", 100).then(() => answered.push(who));
  ask("first");
  await time.tickAsync(0);
  assertEquals(answered, []);
  reconciler.attendant.set(group, { ...judged, clearance, saidReasons: judged.saidReasons });
  await time.tickAsync(0);
  assertEquals(answered, [], "something else has changed");
  reconciler.attendant.set(group, judged);
  await time.tickAsync(0);
  assertEquals(answered, ["first"]);
  reconciler.attendant.set(group, { ...judged, clearance });
  ask("second");
  await time.tickAsync(99);
  assertEquals(answered, ["first"]);
  await time.tickAsync(1);
  assertEquals(answered, ["first", "second"]);
  reconciler.attendant.stop();
});
