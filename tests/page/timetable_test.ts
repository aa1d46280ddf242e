import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { GangTimes } from "../../shared/core/gang/gang_times.ts";
import { gang, type GangParts, group } from "../support/facts.ts";
import { Service } from "../functions/service.ts";

let epoch = 0;

async function tell(service: Service, parts: GangParts, times: GangTimes): Promise<void> {
  const facts = gang(parts);
  await service.post("/v1/prefilter", {
    ...group(facts),
    relay: { id: "relay", epoch: ++epoch },
    times: { [`default/${facts.gang.name}`]: times },
  });
}

/** The texts of the cells of each row of the timetable. */
function rowsOf(body: string): string[][] {
  return [...body.matchAll(/<tr role="row" id="time\/[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^]*?<\/td>/g)].map(([cell]) =>
      cell.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim()
    )
  );
}

/** Where each bar begins and how long it is, of 240. */
function barsOf(body: string): number[][] {
  return [...body.matchAll(/<rect class="(?:bound|held)" x="([\d.]+)" width="([\d.]+)"/g)]
    .map(([, x, width]) => [Number(x), Number(width)]);
}

const minute = 60_000;
const now = Date.now();
const at = (minutes: number) => new Date(now + minutes * minute).toISOString();
const said = (minutes: number) => `${at(minutes).slice(0, 16).replace("T", " ")} UTC`;
const runTime = { seconds: 3600, source: "declared" } as const;

Deno.test("timetable: what runs and what is planned, the first to start first, each with its bar", async () => {
  await using service = new Service();
  await tell(service, { name: "next", pending: 1 }, {
    estimate: { startsAt: at(30), after: "default/long" },
    runTime,
  });
  await tell(service, { name: "long", running: 1 }, { startedAt: at(-30), runTime });
  await tell(service, { name: "over", running: 1 }, { startedAt: at(-90), runTime });
  await tell(service, { name: "open", running: 1 }, { startedAt: at(-10) });
  await tell(service, { name: "done", succeeded: 1 }, { startedAt: at(-9), endedAt: at(-1) });
  await tell(service, { name: "dark", pending: 1 }, {});
  const { body } = await service.request("/page");
  const known = "60 min, as it declares";
  assertEquals(rowsOf(body), [
    ["default/over", "runs for longer than expected", said(-90), said(-30), known, ""],
    ["default/long", "runs", said(-30), said(30), known, ""],
    ["default/open", "runs", said(-10), "not known", "", ""],
    ["default/next", "planned", `${said(30)}, after default/long`, said(90), known, ""],
  ]);
  const [over, long, open, next] = barsOf(body) as [number, number][];
  const isNear = (a: number, b: number) => Math.abs(a - b) < 2;
  assert(isNear(over![0] + over![1], 120), "what is over ends now");
  assert(isNear(long![0] + long![1], next![0]), "the next begins where the other ends");
  assert(isNear(open![0] + open![1], 240) && isNear(next![0] + next![1], 240));
});

Deno.test("timetable: of more gangs than a list holds those that start first, however they are called", async () => {
  await using service = new Service();
  const count = 105;
  for (let index = 1; index <= count; index++) {
    const name = `g-${String(index).padStart(3, "0")}`;
    await tell(service, { name, running: 1 }, { startedAt: at(-index), runTime });
  }
  const { body } = await service.request("/page");
  assertStringIncludes(body, `The first 40 of ${count}, in the order of their starts`);
  const [first, second] = rowsOf(body).map(([gang]) => gang);
  assertEquals([first, second], ["default/g-105", "default/g-104"]);
});

Deno.test("timetable: of a gang that is taken to run for longer than there are dates, no end is told", async () => {
  await using service = new Service();
  await tell(service, { name: "ever", running: 1 }, {
    startedAt: at(-30),
    runTime: { seconds: 2 ** 63, source: "deadline" },
  });
  await tell(service, { name: "long", running: 1 }, { startedAt: at(-20), runTime });
  const { status, body } = await service.request("/page");
  assertEquals(status, 200);
  assertEquals(rowsOf(body).map(([gang, , , until]) => [gang, until]), [
    ["default/ever", "not known"],
    ["default/long", said(40)],
  ]);
});

Deno.test("timetable: there is none where nobody knows anything", async () => {
  await using service = new Service();
  await tell(service, { running: 1 }, { startedAt: at(-10) });
  assertEquals((await service.request("/page")).body.includes("Timetable"), false);
});

Deno.test("timetable: a gang's own page says when it starts and how long it runs", async () => {
  await using service = new Service();
  await tell(service, { pending: 1 }, { estimate: { startsAt: at(30) }, runTime });
  const { body } = await service.request("/page/gangs/default/a");
  assertStringIncludes(body, said(30));
  assertStringIncludes(body, "60 min, as it declares");
});
