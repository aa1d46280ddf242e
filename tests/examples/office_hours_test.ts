import { assertEquals } from "@std/assert";
import officeHours from "../../examples/policies/office_hours.ts";
import { admit, admitRequest, gang } from "../../packages/policy/testing.ts";
import { gpu } from "./facts.ts";

Deno.test("office hours: large gangs start at night and at weekends, urgent ones at any time", async (t) => {
  const cases: [string, string, number, number, "allow" | "wait"][] = [
    ["at noon", "2026-03-02T12:00:00Z", 8, 0, "wait"],
    ["a small one", "2026-03-02T12:00:00Z", 4, 0, "allow"],
    ["an urgent one", "2026-03-02T12:00:00Z", 8, 1, "allow"],
    ["in the evening", "2026-03-02T17:00:00Z", 8, 0, "allow"],
    ["on Saturday", "2026-03-07T12:00:00Z", 8, 0, "allow"],
  ];
  for (const [name, at, gpus, priority, verdict] of cases) {
    await t.step(name, async () => {
      const request = admitRequest(gang({ priority }), { at, asks: { [gpu]: gpus } });
      const env = { TIME_ZONE: "Europe/Berlin" };
      assertEquals((await admit(officeHours, request, env)).verdict, verdict);
    });
  }
  const late = admitRequest(gang(), { at: "2026-03-02T17:45:00Z", asks: { [gpu]: 8 } });
  assertEquals((await admit(officeHours, late)).askAgainSeconds, 900);
});

Deno.test("office hours: by the clock on the wall when it is changed, to the minute, and over midnight", async (t) => {
  const berlin = { TIME_ZONE: "Europe/Berlin" };
  const half = { HOURS: "8:30-17:15" };
  const night = { HOURS: "22-6" };
  const cases: [string, string, Record<string, string>, "allow" | "wait"][] = [
    ["the Friday before summer time: 17:30 there", "2026-03-27T16:30:00Z", berlin, "wait"],
    ["the Monday after: 18:30 there", "2026-03-30T16:30:00Z", berlin, "allow"],
    ["the Monday after, at 7:30 UTC: 9:30 there", "2026-03-30T06:30:00Z", berlin, "wait"],
    ["the Friday before winter time: 18:30 there", "2026-10-23T16:30:00Z", berlin, "allow"],
    ["the Monday after: 17:30 there", "2026-10-26T16:30:00Z", berlin, "wait"],
    ["a minute before it opens", "2026-03-02T17:14:00Z", half, "wait"],
    ["when it opens", "2026-03-02T17:15:00Z", half, "allow"],
    ["before half past", "2026-03-02T08:29:00Z", half, "allow"],
    ["before midnight", "2026-03-02T23:00:00Z", night, "wait"],
    ["after midnight", "2026-03-03T05:59:00Z", night, "wait"],
    ["by day", "2026-03-03T12:00:00Z", night, "allow"],
  ];
  for (const [name, at, env, verdict] of cases) {
    await t.step(name, async () => {
      const request = admitRequest(gang(), { at, asks: { [gpu]: 8 } });
      assertEquals((await admit(officeHours, request, env)).verdict, verdict);
    });
  }
});
