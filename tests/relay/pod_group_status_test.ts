import { assertEquals, assertMatch } from "@std/assert";
import { nativePodGroup, sigsPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { StatusWorld } from "../support/status_world.ts";

Deno.test("PodGroupStatuses writes nothing before all pods are known", async () => {
  using world = new StatusWorld({ start: false });
  await world.time.tickAsync(10_000);
  assertEquals(world.patched, []);
  world.pods("Running", "Running");
  world.statuses.lead(true);
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200"]);
  assertEquals(world.status["phase"], "Running");
});

Deno.test("PodGroupStatuses writes nothing while another relay leads, and what it missed after that", async () => {
  using world = new StatusWorld();
  await world.time.tickAsync(1000);
  world.pods("Pending", "Pending");
  world.statuses.lead(false);
  await world.time.tickAsync(10_000);
  world.pods("Running", "Running");
  await world.time.tickAsync(10_000);
  assertEquals(world.patched, ["status 200"]);
  world.statuses.lead(true);
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200", "status 200"]);
  assertEquals(world.status["phase"], "Running");
});

Deno.test("PodGroupStatuses: SP-ST-15 a PodGroup is Pending, and its counts are 0, without pods and where none that run name it", async () => {
  using world = new StatusWorld();
  const none = { phase: "Pending", scheduled: 0, running: 0, succeeded: 0, failed: 0 };
  await world.time.tickAsync(1000);
  assertEquals(world.status, none);
  world.unnamingPods(3);
  await world.time.tickAsync(10_000);
  assertEquals(world.status, none);
  assertEquals(world.patched, ["status 200"]);
});

Deno.test("PodGroupStatuses: SP-ST-9 a PodGroup is kept for as long as it exists", async () => {
  using world = new StatusWorld();
  world.pods("Pending", "Pending");
  await world.time.tickAsync(72 * 3600_000);
  assertEquals(world.status["phase"], "Scheduling");
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  assertEquals(world.status["phase"], "Running");
  assertEquals(world.patched.length, 2);
});

Deno.test("PodGroupStatuses writes a gang that goes from whole to running twice, however its members come", async () => {
  using world = new StatusWorld();
  world.pods("Pending");
  world.pods("Pending", "Pending", "Pending");
  await world.time.tickAsync(10_000);
  assertEquals(world.patched, ["status 200"]);
  for (
    const phases of [
      ["Pending@node-1", "Pending", "Pending"],
      ["Pending@node-1", "Pending@node-1", "Pending"],
      ["Running", "Pending@node-1", "Pending"],
      ["Running", "Running", "Pending@node-1"],
      ["Running", "Running", "Running"],
    ]
  ) {
    world.pods(...phases);
    await world.time.tickAsync(80);
  }
  await world.time.tickAsync(60_000);
  assertEquals(world.patched, ["status 200", "status 200"]);
  assertEquals(world.status, {
    phase: "Running",
    scheduleStartTime: "2026-01-01T12:00:00Z",
    scheduled: 3,
    running: 3,
    succeeded: 0,
    failed: 0,
  });
});

Deno.test("PodGroupStatuses writes numbers later than phases, and together", async () => {
  using world = new StatusWorld();
  world.pods("Running", "Running", "Pending", "Pending", "Pending");
  await world.time.tickAsync(1000);
  assertEquals(world.patched.length, 1);
  for (let running = 3; running <= 5; running++) {
    world.pods(...Array(running).fill("Running"));
    await world.time.tickAsync(700);
  }
  assertEquals(world.patched.length, 1);
  await world.time.tickAsync(3000);
  assertEquals(world.patched.length, 2);
  assertEquals(world.status["running"], 5);
});

Deno.test("PodGroupStatuses writes a PodGroup without the subresource whole, and finds out once", async () => {
  using world = new StatusWorld();
  world.definition = "no subresource";
  await world.time.tickAsync(1000);
  assertEquals(world.status["phase"], "Pending");
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  assertEquals(world.status["phase"], "Running");
  assertEquals(world.patched, ["status 404", "whole 200", "whole 200"]);
});

Deno.test("PodGroupStatuses notices that the subresource has come", async () => {
  using world = new StatusWorld();
  world.definition = "no subresource";
  await world.time.tickAsync(1000);
  world.definition = "subresource";
  world.pods("Pending", "Pending");
  await world.time.tickAsync(1000);
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  assertEquals(world.status["phase"], "Running");
  assertEquals(world.patched.slice(2), ["whole 200", "status 200"]);
});

Deno.test("PodGroupStatuses writes once what a definition has no place for", async () => {
  using world = new StatusWorld();
  world.definition = "no status";
  world.pods("Pending", "Pending");
  await world.time.tickAsync(5000);
  const count = world.patched.length;
  assertEquals(count, 2);
  for (let times = 0; times < 5; times++) {
    world.pods("Pending", "Pending");
    await world.time.tickAsync(60_000);
  }
  assertEquals(world.patched.length, count);
});

Deno.test("PodGroupStatuses writes again, in the end, what somebody else has overwritten", async () => {
  using world = new StatusWorld();
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  for (let second = 0; second < 120; second++) {
    if (world.status["phase"] === "Running") world.overwrite({ phase: "Unknown" });
    await world.time.tickAsync(1000);
  }
  const { length } = world.patched;
  assertEquals(length >= 2 && length <= 5, true, `${length} writes in two minutes`);
  await world.time.tickAsync(60_000);
  assertEquals(world.status["phase"], "Running");
});

Deno.test("PodGroupStatuses: a change that leaves the status alone delays nothing", async () => {
  using world = new StatusWorld({ kind: nativePodGroup });
  world.verdict = { verdict: "reject", reason: "InsufficientResources", message: "no room" };
  world.pods("Pending", "Pending");
  await world.time.tickAsync(1000);
  world.overwrite({});
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200", "status 200"]);
});

Deno.test("PodGroupStatuses of two relays do not write over each other", async () => {
  using world = new StatusWorld();
  const other = world.newStatuses();
  other.lead(true);
  other.podGroupChanged(sigsPodGroup, world.podGroup);
  world.pods("Pending", "Pending");
  // The other one has not seen what the first one wrote, and is refused.
  await world.time.tickAsync(10_000);
  assertEquals(world.patched, ["status 200", "status 409"]);
  other.podGroupChanged(sigsPodGroup, world.podGroup);
  await world.time.tickAsync(60_000);
  assertEquals(world.patched.length, 2);
  other.stop();
});

Deno.test("PodGroupStatuses: a failed write is reported, tried a few times, and made again later", async () => {
  using world = new StatusWorld();
  world.fault = 500;
  world.pods("Pending", "Pending");
  await world.time.tickAsync(10_000);
  assertEquals(world.failures, ["podgroups.scheduling.sigs.k8s.io default/tf: no: 500"]);
  const { length } = world.patched;
  world.pods("Running", "Pending@node-1");
  await world.time.tickAsync(10_000);
  assertEquals(world.patched.length, length);
  world.fault = undefined;
  await world.time.tickAsync(30_000);
  assertEquals(world.status["phase"], "Scheduled");
  assertEquals(world.patched.length, length + 1);
});

Deno.test("PodGroupStatuses tries no write again that the API server refuses", async () => {
  using world = new StatusWorld();
  world.fault = 403;
  await world.time.tickAsync(20_000);
  assertEquals(world.patched, ["status 403"]);
});

Deno.test("PodGroupStatuses: what changed while a write was under way is written after it", async () => {
  using world = new StatusWorld();
  const answer = Promise.withResolvers<void>();
  world.answering = answer.promise;
  world.pods("Pending", "Pending");
  await world.time.tickAsync(1000);
  world.pods("Running", "Running");
  await world.time.tickAsync(10_000);
  assertEquals(world.patched, []);
  answer.resolve();
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200", "status 200"]);
  assertEquals(world.status["phase"], "Running");
});

Deno.test("PodGroupStatuses: a write that somebody else's has overtaken is made from the new status", async () => {
  using world = new StatusWorld();
  const answer = Promise.withResolvers<void>();
  world.answering = answer.promise;
  await world.time.tickAsync(1000);
  world.overwrite({ phase: "Unknown" });
  await world.time.tickAsync(1000);
  answer.resolve();
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 409", "status 200"]);
  assertEquals(world.status["phase"], "Pending");
});

Deno.test("PodGroupStatuses: an answer that is older than what the watch has shown is not built on", async () => {
  using world = new StatusWorld();
  const answer = Promise.withResolvers<void>();
  world.answered = answer.promise;
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  world.overwrite({});
  answer.resolve();
  await world.time.tickAsync(1000);
  world.pods("Succeeded", "Succeeded");
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200", "status 200"]);
  assertEquals(world.status["phase"], "Finished");
});

Deno.test("PodGroupStatuses builds on what it wrote before the watch shows it", async () => {
  using world = new StatusWorld();
  world.isWatching = false;
  world.pods("Pending", "Pending");
  await world.time.tickAsync(1000);
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  assertEquals(world.patched, ["status 200", "status 200"]);
  assertEquals(world.status["phase"], "Running");
});

Deno.test("PodGroupStatuses: a new PodGroup of the same name gets a status of its own", async () => {
  using world = new StatusWorld();
  world.pods("Running", "Running");
  await world.time.tickAsync(1000);
  world.replacePodGroup();
  await world.time.tickAsync(1000);
  assertEquals(world.status["phase"], "Running");
  assertEquals(world.patched, ["status 200", "status 200"]);
});

Deno.test("PodGroupStatuses leaves the PodGroups of other schedulers alone", async () => {
  using world = new StatusWorld();
  world.foreignPod();
  await world.time.tickAsync(60_000);
  assertEquals(world.patched, []);
});

Deno.test("PodGroupStatuses: an outage of the functions is no news of a gang", async () => {
  using world = new StatusWorld({ kind: nativePodGroup });
  world.verdict = { verdict: "reject", reason: "FunctionsUnreachable", message: "no answer" };
  world.pods("Pending", "Pending");
  await world.time.tickAsync(60_000);
  assertEquals(world.patched, []);
  world.verdict = { verdict: "reject", reason: "InsufficientResources", message: "no room" };
  world.statuses.gangChanged("default/tf");
  await world.time.tickAsync(1000);
  assertMatch(
    JSON.stringify(world.status),
    /"no room".*"status":"False","type":"PodGroupScheduled"/,
  );
});
