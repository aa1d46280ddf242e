import { assertEquals, assertNotEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { gang, group, now } from "../support/facts.ts";
import { Service } from "./service.ts";

const day = 24 * 3600 * 1000;
const waiting = group(gang({ minMember: 2, held: 1, pending: 1, waitSeconds: 30 * 24 * 3600 }));

function told(epoch: number) {
  return { ...waiting, relay: { id: "relay", epoch } };
}

Deno.test("alarms: a late one and a repeated one change nothing; a group nobody asks about is forgotten", async () => {
  await using service = new Service();
  using time = new FakeTime(now);
  const first = await service.post("/v1/permit", told(1));
  time.tick(6 * day);
  const second = await service.post("/v1/permit", told(2));
  assertEquals(second.body.deadline, first.body.deadline);
  const known = await service.request("/v1/gangs/default/a");

  // The alarm of the first call, although there was a second; and again.
  time.tick(2 * day);
  for (let times = 0; times < 3; times++) await service.ring("default/a");
  assertEquals(await service.request("/v1/gangs/default/a"), known);
  assertEquals(await service.post("/v1/permit", told(2)), second);
  const third = await service.post("/v1/permit", told(3));
  assertEquals(third.body.deadline, first.body.deadline);

  time.tick(6 * day);
  for (let times = 0; times < 2; times++) await service.ring("default/a");
  const kept = await service.post("/v1/permit", told(3));
  assertEquals(kept.body.deadline, first.body.deadline);

  time.tick(8 * day);
  for (let times = 0; times < 2; times++) await service.ring("default/a");
  const anew = await service.post("/v1/permit", told(1));
  assertNotEquals(anew.body.deadline, first.body.deadline);
  const { body } = await service.request("/v1/gangs/default/a");
  assertEquals(body.decisions.length, 1);
});
