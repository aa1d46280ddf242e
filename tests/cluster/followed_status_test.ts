import { assertEquals } from "@std/assert";
import { followStatus, newlySeen, type StatusEvent } from "../../shared/cluster/followed_status.ts";
import type { KnownStatus } from "../../shared/cluster/reported_status.ts";
import { Cluster } from "../../shared/cluster/cluster.ts";
import { times } from "../../shared/core/attend/times.ts";
import { type PodGroup, sigsPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { podGroupOf, podOf } from "../support/objects.ts";

const now = 1_000_000;
const shown: PodGroup = { ...podGroupOf({ minMember: 2 }), status: { phase: "Pending" } };
const labels = { "pod-group.scheduling.sigs.k8s.io": "tf" };

/** A PodGroup of which so many pods run. */
function reported(running: number): Extract<StatusEvent, { is: "woken" }>["reported"] {
  const listener = { podChanged() {}, podGroupChanged() {}, roomChanged() {} };
  const cluster = new Cluster(listener, { schedulerNames: ["muster"] });
  cluster.podGroupChanged(sigsPodGroup, shown);
  for (let index = 0; index < running; index++) {
    const name = `tf-${index}`;
    const spec = { schedulerName: "muster", nodeName: "node-1" };
    cluster.podChanged(podOf({ name, labels, phase: "Running", ...spec }));
  }
  const gang = cluster.gangs.get("default/tf");
  return { gang, verdict: undefined, schedulerNames: ["muster"] };
}

/** What is known after these events, each at its time, and what followed from the last. */
function after(...events: [event: StatusEvent, at: number][]) {
  let known: KnownStatus = newlySeen(sigsPodGroup, shown);
  let followed = followStatus(known, { is: "changed" }, now);
  for (const [event, at] of events) {
    followed = followStatus(known, event, at);
    known = followed.known;
  }
  return followed;
}

const woken = (running: number): StatusEvent => ({ is: "woken", reported: reported(running) });
const answer = (version: string, more: Partial<PodGroup> = {}): StatusEvent => ({
  is: "written",
  answer: { ...shown, metadata: { ...shown.metadata, resourceVersion: version }, ...more },
});

Deno.test("a status is looked at soon after something changed, and what is missing is written at a turn", () => {
  assertEquals(after([{ is: "changed" }, now]).wakeAt, now + times.statusSoon);
  const { write, wakeAt, known } = after([woken(2), now]);
  assertEquals([write?.["phase"], write?.["running"], wakeAt], ["Running", 2, Infinity]);
  assertEquals(known.writing?.at, now);
});

Deno.test("a status that differs only in numbers is written later", () => {
  const podGroup = { ...shown, status: after([woken(2), now]).write! };
  const seen: [StatusEvent, number] = [{ is: "shown", podGroup }, now];
  const first = after(seen, [woken(3), now]);
  assertEquals([first.write, first.wakeAt], [undefined, now + times.statusCalm]);
  const later = after(seen, [woken(3), now], [woken(4), now + times.statusCalm]);
  assertEquals(later.write?.["running"], 4);
  assertEquals(after(seen, [woken(3), now], [woken(2), now + 1]).known.differsSince, undefined);
});

Deno.test("a status is written once at a time, and looked at anew when the write is over", () => {
  const during = after([woken(2), now], [woken(3), now + 1]);
  assertEquals([during.write, during.wakeAt], [undefined, Infinity]);
  const over = after([woken(2), now], [woken(3), now + 1], [answer("9"), now + 5]);
  assertEquals(over.wakeAt, now + 5 + times.statusSoon);
  assertEquals([over.known.writing, over.known.isToLookAt], [undefined, false]);
  assertEquals(after([woken(2), now], [answer("9"), now + 5]).wakeAt, Infinity);
});

Deno.test("a status that was not taken is written again after a while, but for one that is outdated", () => {
  const failed = (isTriedAgain: boolean) =>
    after([woken(2), now], [{ is: "not written", isTriedAgain }, now + 5]);
  assertEquals(failed(true).wakeAt, now + times.statusAgain);
  assertEquals(failed(true).known.notBefore, now + times.statusAgain);
  assertEquals([failed(false).wakeAt, failed(false).known.notBefore], [Infinity, 0]);
});

Deno.test("the answer of a write is what the PodGroup looks like, also where its kind keeps no status", () => {
  const { known } = after([woken(2), now], [answer("9"), now + 5]);
  assertEquals(known.podGroup, { ...shown, metadata: { ...shown.metadata, resourceVersion: "9" } });
  assertEquals([known.written?.version, known.written?.at], ["9", now]);
  assertEquals(known.written?.fields["phase"], "Running");
  const status = { phase: "Finished" };
  assertEquals(
    after([woken(2), now], [answer("9", { status }), now]).known.podGroup.status,
    status,
  );
});

Deno.test("what the watch has shown during a write stays", () => {
  const podGroup = { ...shown, status: { phase: "Unknown" } };
  const { known } = after([woken(2), now], [{ is: "shown", podGroup }, now], [answer("9"), now]);
  assertEquals(known.podGroup, podGroup);
});
