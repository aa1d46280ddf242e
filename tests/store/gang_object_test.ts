import { assertEquals, assertRejects } from "@std/assert";
import { profiles } from "../../shared/core/gang/settings.ts";
import type { DurableObjectState } from "../../shared/store/embedded/types.ts";
import { GangObject } from "../../shared/store/gang_object.ts";
import { gang, group } from "../support/facts.ts";

const dayMs = 24 * 3600 * 1000;

/** A group's object, and the alarm that it has set. */
function objectWith({ due = null as number | null, full = false }) {
  const values = new Map<string, unknown>();
  const alarm = { due, full };
  const storage = {
    kv: {
      get: (key: string) => values.get(key),
      put: (key: string, value: unknown) => values.set(key, value),
    },
    getAlarm: () => Promise.resolve(alarm.due),
    setAlarm: (at: number) => {
      if (alarm.full) return Promise.reject(new Error("database or disk is full"));
      alarm.due = at;
      return Promise.resolve();
    },
  };
  const object = new GangObject({ storage } as unknown as DurableObjectState, {});
  const event = { stage: "permit", group: group(gang()), settings: profiles.default } as const;
  return { alarm, permit: () => object.permit(event) };
}

Deno.test("gang object: an alarm that can not be set is set by the next call", async () => {
  const { alarm, permit } = objectWith({ full: true });
  await assertRejects(permit, Error, "full");
  alarm.full = false;
  await permit();
  assertEquals(alarm.due !== null, true);
});

Deno.test("gang object: an alarm of before the clock was set back is set anew, others stay", async () => {
  for (const [days, isKept] of [[1, true], [30, false]] as const) {
    const due = Date.now() + days * dayMs;
    const { alarm, permit } = objectWith({ due });
    await permit();
    assertEquals(alarm.due === due, isKept, `${days} days`);
  }
});
