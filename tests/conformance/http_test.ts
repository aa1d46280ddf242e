import { assertEquals, assertExists } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { settingFields } from "../../shared/contract/settings.ts";
import type { Settings } from "../../shared/core/gang/settings.ts";
import { Service } from "../functions/service.ts";
import { gang, group, now, pod } from "../support/facts.ts";
import { answerOfCore, type ConformanceCase, timedCalls } from "./cases/conformance_case.ts";
import { checkOrder, keysOfCore, type OrderCase, orderCases } from "./cases/order_cases.ts";
import { permitCases } from "./cases/permit_cases.ts";
import { phaseCases } from "./cases/phase_cases.ts";
import { postfilterCases } from "./cases/postfilter_cases.ts";
import { prefilterCases } from "./cases/prefilter_cases.ts";
import { compositeCases } from "./cases/composite_cases.ts";
import { roleCases } from "./cases/role_cases.ts";
import { unreserveCases } from "./cases/unreserve_cases.ts";

/** The variables that give a row its settings. */
function variablesOf(row: { profile?: string; settings?: Partial<Settings> }) {
  const single = Object.entries(row.settings ?? {}).map(([name, value]) => {
    const field = settingFields.find((field) => field.name === name);
    assertExists(field, `there is no variable for setting "${name}"`);
    return [field.variable, String(value)];
  });
  return { MUSTER_PROFILE: row.profile ?? "default", ...Object.fromEntries(single) };
}

/** Posts with the clock at `ms`, and gives the body of an answer that must be a success. */
async function postAt(ms: number, about: { service: Service; path: string; body: unknown }) {
  using _time = new FakeTime(ms);
  const { status, body } = await about.service.post(about.path, about.body);
  assertEquals(status, 200, JSON.stringify(body));
  return body;
}

/** What the functions answer to the last call of a row. */
async function answerOverHttp(row: ConformanceCase) {
  await using service = new Service(variablesOf(row));
  let answer;
  for (const { call, at } of timedCalls(row)) {
    const { stage, group, ...more } = call;
    answer = await postAt(at, { service, path: `/v1/${stage}`, body: { ...group, ...more } });
  }
  return answer;
}

const stages = {
  prefilter: prefilterCases,
  permit: permitCases,
  postfilter: postfilterCases,
  unreserve: unreserveCases,
  "any stage": [...roleCases, ...compositeCases],
};

for (const [stage, rows] of Object.entries(stages)) {
  for (const row of rows) {
    Deno.test(`http, ${stage}: ${row.id}`, async () => {
      const answer = await answerOverHttp(row);
      assertEquals(answer, JSON.parse(JSON.stringify(answerOfCore(row))));
      row.check(answer);
    });
  }
}

/** The keys of a row, after its gangs have failed when it says they did. */
async function keysOverHttp(row: OrderCase) {
  await using service = new Service(variablesOf(row));
  const { failedAt = {}, units } = row;
  for (const [name, ms] of Object.entries(failedAt)) {
    const facts = group(gang({ name, minMember: 2, held: 1, pending: 1 }));
    const lost = [{ pod: pod("lost"), cause: "aborted" }];
    await postAt(ms, { service, path: "/v1/unreserve", body: { ...facts, lost } });
  }
  return (await postAt(now, { service, path: "/v1/queue-sort", body: { units } })).keys;
}

for (const row of orderCases) {
  Deno.test(`http, queue-sort: ${row.id}`, async () => {
    const keys = await keysOverHttp(row);
    assertEquals(keys, keysOfCore(row));
    checkOrder(keys, row);
  });
}

for (const [id, given, expect] of phaseCases) {
  Deno.test(`http, phase: ${id}`, async () => {
    await using service = new Service();
    await postAt(now, { service, path: "/v1/prefilter", body: group(gang(given)) });
    assertEquals((await service.request("/v1/gangs/default/a")).body.phase, expect);
  });
}
