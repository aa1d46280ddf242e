import { assertEquals } from "@std/assert";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { Keeping } from "../../../shared/core/plan/keeping.ts";
import { partOf } from "../../../shared/core/plan/part.ts";
import { groundOf } from "../../../shared/core/room/ground.ts";
import { Timetable } from "../../../shared/core/room/timetable.ts";
import { now, worldOf } from "../../support/planned.ts";

/** Of which searches have looked at very much already. */
class Searched extends Timetable {
  override get steps(): number {
    return 1_000_000;
  }
}

Deno.test("Keeping: however much has been searched, the first group is promised a start; others are in a later plan", () => {
  const gangs = ["first", "second"].map((name) => ({ name, members: [{ count: 1 }] }));
  const uses = ["a", "b"].map((node) => ({ node, count: 1, requests: new Map([["gpu", 1]]) }));
  const world = {
    ...worldOf({ nodes: { a: "0", b: "0" }, gangs }),
    reservations: 2,
    ending: () =>
      uses.map((use, at) => ({ id: use.node, endsAt: now + 1000 * (1 + at), uses: [use] })),
  };
  const startsOn = (table: Timetable) => {
    const keeping = new Keeping(world, { table, now });
    return world.waiting.map((group) => {
      const demands = group.gangs().map((gang) => demandOf(gang, world.settings));
      const part = partOf(demands, { ground: table.free });
      return keeping.keepFor(group, { part, demands })?.startsAt;
    });
  };
  assertEquals(startsOn(new Timetable(groundOf(world), now)), [now + 1000, now + 2000]);
  assertEquals(startsOn(new Searched(groundOf(world), now)), [now + 1000, undefined]);
});
