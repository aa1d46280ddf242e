import { assert, assertEquals, assertGreater } from "@std/assert";
import { Metrics } from "../../relay/report/metrics.ts";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { membersOf } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };

/** Resolves when a series has this value; only asking tells. */
async function untilValue(world: RelayWorld, series: string, value: number): Promise<void> {
  await untilReady(async () => await valueOf(world, series) === value, {
    what: `${series} ${value}`,
    signal: new AbortController().signal,
  });
}

/** The value of a series, written as the text format has it; 0 where there is none. */
async function valueOf(world: RelayWorld, series: string): Promise<number> {
  const text = await (await fetch(`${world.relay.url}/metrics`)).text();
  const line = text.split("\n").find((line) => line.startsWith(`${series} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

relayTest("the queue is counted by reason until its gangs are bound", { nodes }, async (world) => {
  const waiting = (reason: string) => `muster_relay_queue_gangs{reason="${reason}"}`;
  const gang = { name: "gang", minAvailable: 2 };
  await world.create("gang-0", { gpus: 1, gang });
  await world.createGang("large", { size: 5, gpus: 1 });
  await untilValue(world, waiting("MembersMissing"), 1);
  await untilValue(world, waiting("InsufficientResources"), 1);
  assertGreater(await valueOf(world, "muster_relay_queue_oldest_age_seconds"), 0);

  await world.delete(...membersOf("large", 5));
  await world.create("gang-1", { gpus: 1, gang });
  await world.untilBound(membersOf("gang", 2));
  await untilValue(world, "muster_relay_queue_oldest_age_seconds", 0);
  assertEquals(await valueOf(world, waiting("MembersMissing")), 0);
  assertEquals(await valueOf(world, waiting("InsufficientResources")), 0);
});

relayTest(
  "a gang's time from complete to bound is taken each time it becomes so, and its attempts by result and reason",
  { nodes },
  async (world) => {
    const count = "muster_relay_gang_bind_duration_seconds_count";
    const names = await world.createGang("gang", { size: 3, gpus: 1 });
    await world.untilBound(names);
    await untilValue(world, count, 1);
    const rounds = "muster_relay_round_duration_seconds_count";
    assert(await valueOf(world, `${rounds}{verdict="allow",reason="Satisfied"}`) >= 1);
    await world.delete(names[0]!);
    await world.create(names[0]!, { gpus: 1, gang: { name: "gang", minAvailable: 3 } });
    await world.untilBound(names);
    await untilValue(world, count, 2);
  },
);

relayTest(
  "what a broken watch missed is counted, and how long it did",
  { nodes },
  async (world) => {
    await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(membersOf("gang", 2));
    const { server } = world.sandbox;
    server.intercept = (request) =>
      new URL(request.url).searchParams.has("watch")
        ? new Response("no", { status: 503 })
        : undefined;
    server.dropWatches({ broken: true });
    await world.create("unseen", { gpus: 1 });
    server.intercept = undefined;
    await world.untilBound(["unseen"]);
    const missed = 'muster_relay_watch_missed_changes_total{kind="pods"}';
    await untilReady(async () => await valueOf(world, missed) > 0, {
      what: missed,
      signal: new AbortController().signal,
    });
    assertGreater(
      await valueOf(world, 'muster_relay_watch_gap_duration_seconds_count{kind="pods"}'),
      0,
    );
  },
);

relayTest(
  "each decision is a line with its gang, outcome, reason and request id; the same again is for debug",
  { nodes },
  async (world) => {
    const names = await world.createGang("gang", { size: 2, gpus: 1 });
    await world.untilBound(names);
    const decisions = world.logged.filter(({ fields }) => fields?.["outcome"] !== undefined);
    const allowed = decisions.find(({ fields }) => fields?.["reason"] === "Satisfied");
    assertEquals(allowed?.level, "info");
    const { gang, stage, outcome, requestId } = allowed?.fields ?? {};
    assertEquals({ gang, stage, outcome }, {
      gang: "default/gang",
      stage: "permit",
      outcome: "allow",
    });
    const call = world.policy.made.find(({ stage, answer }) =>
      stage === "permit" && answer?.verdict === "allow"
    );
    assertEquals(requestId, call?.requestId);
    for (const [index, one] of decisions.entries()) {
      const isRepeated = decisions.slice(0, index).some(({ message, fields }) =>
        message === one.message && fields?.["stage"] === one.fields?.["stage"]
      );
      assertEquals(one.level, isRepeated ? "debug" : "info", one.message);
    }
  },
);

Deno.test("what the log says of a watch that failed names what was wrong with the connection", () => {
  const said: string[] = [];
  const none = () => 0;
  const metrics = new Metrics({
    log: (_level, message) => said.push(message),
    held: none,
    heldGangs: none,
    waiting: () => [],
    isLeading: () => true,
  });
  const cause = new Error("invalid peer certificate: UnknownIssuer");
  metrics.watch("pods").failed(new TypeError("fetch failed", { cause }), true);
  assertEquals(said, [
    "The watch of pods ended and starts again: fetch failed: invalid peer certificate: UnknownIssuer",
  ]);
});
