import { assertEquals } from "@std/assert";
import { whyPending } from "../support/gang_pods.ts";
import { idleScheduler } from "../support/relay_process.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const podsPerNode = 110;

/** A cluster with room for a gang of so many. */
function roomFor(size: number): Record<string, number> {
  const count = Math.ceil(size / podsPerNode);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`node-${index}`, podsPerNode]),
  );
}

/**
 * What was called, such as `GANGS.permit`, in order, without what time alone asks, and without the permits that were answered
 * with a wait: none where the members are held at once, one where they take longer, and more where a machine is so busy that
 * permit is asked again.
 */
function billOf(world: RelayWorld): string[] {
  const waits = world.policy.made.filter(({ stage, answer }) =>
    stage === "permit" && answer?.verdict === "wait"
  );
  const calls = world.objectCalls.map(({ binding, method }) => `${binding}.${method}`)
    .filter((call) => call !== "INDEX.identity");
  for (const index of waits.keys()) {
    // The index is told of a wait that goes on.
    calls.splice(calls.indexOf("GANGS.permit"), index === 0 ? 1 : 2);
  }
  return calls;
}

/** Creates a gang while no relay sees it come, as a job controller creates one at once. */
async function createUnseen(world: RelayWorld, size: number): Promise<void> {
  await world.killRelay();
  await world.createGang("gang", { size, gpus: 1 });
}

const round = ["GANGS.prefilter", "INDEX.runTimes", "INDEX.record", "GANGS.permit"];
const report = ["GANGS.prefilter", "INDEX.record"];

for (const size of [2, 64, 1000]) {
  relayTest(
    `a round of a gang of ${size} costs four calls of durable objects, or five, and its report two`,
    { nodes: roomFor(size), scheduler: false },
    async (world) => {
      await createUnseen(world, size);
      const reported = Promise.withResolvers<void>();
      world.policy.intercept = async (_call, answer) => {
        const response = await answer();
        if (billOf(world).length >= round.length + report.length) reported.resolve();
        return response;
      };
      await world.startRelay();
      await world.startScheduler();
      await reported.promise;
      assertEquals(billOf(world), [...round, ...report]);
      assertEquals(world.bound().length, size);
    },
  );
}

relayTest(
  "a round that fails costs four calls of durable objects, and what is told of it later two",
  { nodes: { "node-1": 4 }, closedSeconds: 60 },
  async (world) => {
    const gang = { name: "gang", minAvailable: 3 };
    for (const name of ["gang-0", "gang-1"]) await world.create(name, { gpus: 1, gang });
    await world.until(
      "both members were refused",
      (pods) => pods.every((pod) => whyPending(pod)?.includes("of 3 members")),
    );
    const spec = { schedulerName: idleScheduler };
    await world.create("gang-2", { gpus: 1, gang, spec });
    await world.untilBinding(2);
    await world.sayUnschedulable(
      "gang-2",
      "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
    );
    await world.untilBinding(0);
    const letIn = billOf(world).lastIndexOf(
      "GANGS.prefilter",
      billOf(world).indexOf("GANGS.postfilter"),
    );
    const failed = ["GANGS.prefilter", "GANGS.postfilter", "INDEX.record"];
    await world.until(
      "the failure is told",
      () => billOf(world).length >= letIn + failed.length + report.length,
    );
    assertEquals(billOf(world).slice(letIn), [...failed, ...report]);
  },
);
