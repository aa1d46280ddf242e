import { assert, assertEquals, assertMatch } from "@std/assert";
import { untilReady } from "../../tools/control_plane/readiness.ts";
import { callApi, STRATEGIC_MERGE } from "../../tools/sandbox/api_client.ts";
import type { Resource } from "../../tools/sandbox/resources.ts";
import type { GangDetail } from "../../shared/contract/types.ts";
import type { Job } from "../../shared/kubernetes/declaring/job.ts";
import { membersOf, podOf, whyPending } from "../support/gang_pods.ts";
import { relayTest, type RelayWorld } from "../support/relay_world.ts";

const nodes = { "node-1": 4 };

/** By a label, as by the annotation. */
const expected = (duration: string) => ({ "muster.scheduling/expected-duration": duration });

/** What is known of a gang when it is so; only asking tells. */
async function untilGang(
  world: RelayWorld,
  name: string,
  isSo: (gang: GangDetail) => boolean,
): Promise<GangDetail> {
  let gang: GangDetail | undefined;
  await untilReady(async () => {
    gang = await world.gang(name) as unknown as GangDetail;
    return isSo(gang);
  }, { what: `gang ${name}`, signal: new AbortController().signal });
  return gang!;
}

async function metric(world: RelayWorld, series: string): Promise<number> {
  const text = await (await fetch(`${world.relay.url}/metrics`)).text();
  const line = text.split("\n").find((line) => line.startsWith(`${series} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

const start =
  /; it is expected to start at \d{4}-\d\d-\d\d \d\d:\d\d UTC, after gang default\/long has ended/;

relayTest(
  "a gang that waits is told when it starts and after whom, and a start is counted against that",
  { nodes, backfill: "easy" },
  async (world) => {
    const long = await world.createGang("long", { size: 3, gpus: 1, labels: expected("1h") });
    await world.untilBound(long);
    const next = await world.createGang("next", { size: 4, gpus: 1, labels: expected("30m") });
    await world.until(
      "its pods say it",
      () => next.every((name) => start.test(whyPending(world.pod(name)) ?? "")),
    );
    const waiting = await untilGang(world, "next", ({ estimate }) => estimate !== undefined);
    assertEquals(waiting.estimate?.after, "default/long");
    assertEquals(waiting.runTime, { seconds: 1800, source: "declared" });
    const { startedAt } = await untilGang(
      world,
      "long",
      ({ startedAt }) => startedAt !== undefined,
    );
    const late = Date.parse(waiting.estimate!.startsAt) - Date.parse(startedAt!) - 3600_000;
    assert(late >= -1000 && late <= 301_000, `${late} ms`);

    const short = await world.createGang("short", { size: 1, gpus: 1, labels: expected("5m") });
    await world.untilBound(short);
    await world.delete(...short);
    await world.createGang("slow", { size: 1, gpus: 1, labels: expected("3h") });
    await world.until(
      "who would delay it waits",
      () => whyPending(world.pod("slow-0"))?.includes("waits behind gang default/next") ?? false,
    );
    await world.delete(...long);
    await world.untilBound(next);
    const count = "muster_relay_promised_start_error_seconds_count";
    await untilReady(async () => await metric(world, count) === 1, {
      what: "the start is counted",
      signal: new AbortController().signal,
    });
    assert(await metric(world, "muster_relay_promised_start_error_seconds_sum") < -3000);
  },
);

relayTest(
  "how long a gang runs is learnt from one like it that has ended, also where the relay is another",
  { nodes, backfill: "easy" },
  async (world) => {
    const first = await world.createGang("train-1", { size: 2, gpus: 1 });
    await world.untilBound(first);
    await untilGang(world, "train-1", ({ startedAt }) => startedAt !== undefined);
    await world.delete(...first);
    await untilGang(world, "train-1", ({ ended }) => ended !== undefined);
    await world.untilBound(await world.createGang("train-2", { size: 2, gpus: 1 }));
    const isLearnt = ({ runTime }: GangDetail) => runTime?.source === "learnt";
    const learnt = await untilGang(world, "train-2", isLearnt);
    assertEquals(learnt.runTime?.runs, 1);
    await world.stopRelay();
    await world.startRelay();
    const next = await world.createGang("next", { size: 4, gpus: 1 });
    await world.until(
      "the other relay promises by it",
      () =>
        next.every((name) => /after gang default\/train-2/.test(whyPending(world.pod(name)) ?? "")),
    );
  },
);

relayTest(
  "who declares less than one like it ran for is taken to run for as long",
  { nodes, backfill: "easy" },
  async (world) => {
    const short = { gpus: 1, labels: expected("1s") };
    const first = await world.createGang("lies-1", { size: 1, ...short });
    await world.untilBound(first);
    await untilGang(
      world,
      "lies-1",
      ({ startedAt }) => startedAt !== undefined && Date.parse(startedAt) + 3000 < Date.now(),
    );
    await world.delete(...first);
    await untilGang(world, "lies-1", ({ ended }) => ended !== undefined);
    const isLearnt = ({ runTime }: GangDetail) => runTime?.source === "learnt";
    await world.createGang("lies-2", { size: 1, ...short });
    assert((await untilGang(world, "lies-2", isLearnt)).runTime!.seconds > 1);
  },
);

relayTest(
  "who runs for longer than expected is not killed, and whoever waits for it is told so",
  { nodes, backfill: "conservative" },
  async (world) => {
    await world.untilBound(
      await world.createGang("long", { size: 3, gpus: 1, labels: expected("1s") }),
    );
    await untilGang(
      world,
      "long",
      ({ startedAt }) => startedAt !== undefined && Date.parse(startedAt) + 2000 < Date.now(),
    );
    await world.createGang("next", { size: 2, gpus: 1 });
    await world.until(
      "it is told so",
      () =>
        whyPending(world.pod("next-0"))?.includes("which runs for longer than expected") ?? false,
    );
    assertEquals(world.bound().sort(), membersOf("long", 3));
    const { message } = await world.gang("next");
    assertMatch(message, start);
  },
);

const jobs: Resource = {
  group: "batch",
  version: "v1",
  plural: "jobs",
  kind: "Job",
  namespaced: true,
  storage: "jobs",
  subresources: [],
};

relayTest(
  "the deadline of a Job is known for its gang, also when it is another",
  { nodes, backfill: "easy", resources: [jobs] },
  async (world) => {
    const path = `${world.sandbox.url}/apis/batch/v1/namespaces/default/jobs`;
    const metadata = { namespace: "default", name: "train" };
    const job = await callApi(path, {
      method: "POST",
      body: { metadata, spec: { activeDeadlineSeconds: 5400 } },
    }) as Job;
    const { uid } = job.metadata;
    for (const name of membersOf("train", 2)) {
      const pod = podOf(name, { gpus: 1, gang: { name: "train", minAvailable: 2 } });
      const ownerReferences = [{ kind: "Job", name: "train", uid, controller: true }];
      const metadata = { ...pod["metadata"] as object, name, ownerReferences };
      await world.sandbox.createPod({ ...pod, metadata });
    }
    const runs = (seconds: number) => ({ runTime }: GangDetail) =>
      runTime?.source === "deadline" && runTime.seconds === seconds;
    await untilGang(world, "train", runs(5400));
    await callApi(`${path}/train`, {
      method: "PATCH",
      contentType: STRATEGIC_MERGE,
      body: { spec: { activeDeadlineSeconds: 600 } },
    });
    await untilGang(world, "train", runs(600));
  },
);

relayTest(
  "a duration that is none keeps no gang from running, and an event says so",
  { nodes },
  async (world) => {
    await world.untilBound(
      await world.createGang("wrong", { size: 2, gpus: 1, labels: expected("soon") }),
    );
    await world.until(
      "an event says so",
      () =>
        world.sandbox.server.store.list("events").some((event) =>
          /expected-duration is \\"soon\\", but must be a duration above 0.*it is not used/.test(
            JSON.stringify(event),
          )
        ),
    );
  },
);
