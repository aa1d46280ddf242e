import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { GangTimes } from "../../shared/core/gang/gang_times.ts";
import { gang, type GangParts, group } from "../support/facts.ts";
import { Service } from "./service.ts";

let epoch = 0;

/** Runs are forgotten in time, so that these are new. */
const now = Date.now();

/** RFC 3339 time so many seconds after now. */
function at(seconds: number): string {
  return new Date(now + seconds * 1000).toISOString();
}

interface Told extends GangParts {
  readonly times?: GangTimes;
}

/** What a relay tells of a gang, each time with newer facts. */
function facts({ times, ...parts }: Told) {
  const given = gang(parts);
  const id = `default/${given.gang.name}`;
  return {
    ...group(given),
    relay: { id: "relay", epoch: ++epoch },
    ...(times && { times: { [id]: times } }),
  };
}

async function tell(service: Service, told: Told, more: object = {}) {
  const { status, body } = await service.post("/v1/prefilter", { ...facts(told), ...more });
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

async function forget(service: Service, told: Told): Promise<void> {
  const lost = [{ pod: { namespace: "default", name: "a", uid: "a" }, cause: "gone" }];
  const { status } = await service.post("/v1/unreserve", { ...facts(told), lost });
  assertEquals(status, 200);
}

const requests = { "nvidia.com/gpu": 8 };
const started = { owner: "Job", startedAt: at(-5400), requests };
const ended = { ...started, endedAt: at(0) };
const asks = { owner: "Job", asks: true };

/** A gang that ran for so long, of two members. */
async function ran(service: Service, name: string, seconds: number): Promise<void> {
  const times = { ...started, startedAt: at(-seconds), endedAt: at(0) };
  await tell(service, { name, minMember: 2, succeeded: 2, times });
}

/** What is learnt of a gang that waits; undefined: nothing. */
async function learntBy(service: Service, name: string): Promise<unknown> {
  const { runTimes } = await tell(service, { name, pending: 1, times: asks });
  return runTimes[`default/${name}`];
}

async function runsOf(service: Service): Promise<Record<string, unknown>[]> {
  return (await service.request("/v1/runs")).body.runs;
}

Deno.test("runs: how long a gang takes is learnt from those like it that have finished", async () => {
  await using service = new Service();
  assertEquals(await learntBy(service, "llm-9"), undefined);
  for (const [index, seconds] of [60, 120, 180].entries()) {
    await ran(service, `llm-${index}`, seconds);
  }
  await ran(service, "other-1", 9);
  assertEquals(await learntBy(service, "llm-9"), {
    seconds: 180,
    source: "learnt",
    runs: 3,
    median: 120,
  });
});

Deno.test("runs: who does not ask is not told", async () => {
  await using service = new Service();
  await ran(service, "llm-1", 60);
  assertEquals((await tell(service, { name: "llm-2", pending: 1 })).runTimes, undefined);
});

Deno.test("runs: an end counts once, however often it is told, and when the gang goes", async () => {
  await using service = new Service();
  const whole = { minMember: 2, succeeded: 2 };
  await tell(service, { minMember: 2, running: 2, times: started });
  await tell(service, { ...whole, times: ended });
  await tell(service, { ...whole, terminating: 1, times: ended });
  // The member that started first is gone before the other.
  const shrunk = { ...ended, startedAt: at(-5000) };
  await tell(service, { minMember: 2, succeeded: 1, times: shrunk });
  await forget(service, { minMember: 2 });
  const runs = await runsOf(service);
  assertEquals(runs.map(({ startedAt, endedAt }) => [startedAt, endedAt]), [[at(-5400), at(0)]]);
  assertEquals(await learntBy(service, "a"), {
    seconds: 5400,
    source: "learnt",
    runs: 1,
    median: 5400,
  });
});

Deno.test("runs: a gang of the same name that runs later counts, too", async () => {
  await using service = new Service();
  await tell(service, { succeeded: 1, times: ended });
  await tell(service, { succeeded: 1, times: { ...ended, startedAt: at(1), endedAt: at(61) } });
  assertEquals((await runsOf(service)).length, 2);
});

Deno.test("runs: one that is deleted while it runs ends then", async () => {
  await using service = new Service();
  await tell(service, { running: 1, times: started });
  await forget(service, {});
  const [run] = await runsOf(service);
  assertEquals(run?.startedAt, at(-5400));
});

const unlike: [about: string, told: Told][] = [
  ["failed", { succeeded: 1, failed: 1, times: ended }],
  ["was deleted before it started", { pending: 1 }],
];

for (const [about, told] of unlike) {
  Deno.test(`runs: nothing is learnt from one that ${about}`, async () => {
    await using service = new Service();
    await tell(service, told);
    await forget(service, {});
    assertEquals(await learntBy(service, "a"), undefined);
  });
}

Deno.test("runs: nothing is learnt from one that ended more than 90 days ago", async () => {
  await using service = new Service();
  const daysAgo = (days: number) => at(-days * 86_400);
  const run = (days: number) => ({
    ...started,
    startedAt: daysAgo(days + 1),
    endedAt: daysAgo(days),
  });
  await tell(service, { name: "train-1", succeeded: 1, times: run(91) });
  assertEquals(await learntBy(service, "train-2"), undefined);
  await tell(service, { name: "train-3", succeeded: 1, times: run(89) });
  assertObjectMatch(await learntBy(service, "train-2") as object, { seconds: 86_400, runs: 1 });
});

Deno.test("runs: nothing is learnt from one that was preempted, but that it ran", async () => {
  await using service = new Service();
  await tell(service, { running: 1, times: started });
  const told = facts({});
  const by = "gang default/high of higher priority";
  const [given] = told.gangs;
  const gangs = [{ ...given, preempted: { members: 1, by } }];
  const lost = [{ pod: { namespace: "default", name: "a", uid: "a" }, cause: "gone" }];
  await service.post("/v1/unreserve", { ...told, gangs, lost });
  assertEquals((await runsOf(service)).length, 1);
  assertEquals(await learntBy(service, "a"), undefined);
});

Deno.test("runs: are listed page by page, the last one first", async () => {
  await using service = new Service();
  for (const name of ["a", "b", "c"]) await ran(service, name, 60);
  const first = (await service.request("/v1/runs?limit=2")).body;
  const last = (await service.request(`/v1/runs?limit=2&continue=${first.continue}`)).body;
  const names = [...first.runs, ...last.runs].map(({ name }) => name);
  assertEquals([names, last.continue], [["c", "b", "a"], undefined]);
  assertObjectMatch(first.runs[0], {
    namespace: "default",
    startedAt: at(-60),
    members: 2,
    priority: 0,
    requests,
  });
  assertEquals((await service.request("/v1/runs?continue=x")).status, 400);
});

Deno.test("runs: when a gang starts is said in its sentence, and shown with how long it runs", async () => {
  await using service = new Service();
  const estimate = { startsAt: "2026-01-01T12:10:00.000Z", after: "default/long", domain: "r3" };
  const runTime = { seconds: 60, source: "declared" } as const;
  const fit = { members: 0, of: 1, shortOf: "cpu" };
  const told = { pending: 1, times: { runTime, estimate, requests } };
  const { message } = await tell(service, told, { fit, estimate });
  assertStringIncludes(
    message,
    "; it is expected to start at 2026-01-01 12:10 UTC, after gang default/long has ended, on r3",
  );
  const shown = { runTime, estimate, requests, priority: 0 };
  assertObjectMatch((await service.request("/v1/gangs/default/a")).body, shown);
  assertObjectMatch((await service.request("/v1/gangs")).body.gangs[0], shown);
  const { message: letIn } = await tell(service, told, { fit: { members: 1, of: 1 }, estimate });
  assertEquals(letIn, "gang default/a may be scheduled");
});

Deno.test("runs: times that are none are a bad request", async () => {
  await using service = new Service();
  const bad = { ...facts({ pending: 1 }), times: { "default/a": { startedAt: "soon" } } };
  const { status, body } = await service.post("/v1/prefilter", bad);
  assertEquals([status, body.errors[0].path], [400, "times.default/a.startedAt"]);
});
