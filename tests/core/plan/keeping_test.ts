import { assertEquals } from "@std/assert";
import { demandOf } from "../../../shared/core/plan/demand.ts";
import { Keeping } from "../../../shared/core/plan/keeping.ts";
import { Looks } from "../../../shared/core/plan/looks.ts";
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
      return keeping.keepFor(group, { part, demands, looks: new Looks() })?.startsAt;
    });
  };
  assertEquals(startsOn(new Timetable(groundOf(world), now)), [now + 1000, now + 2000]);
  assertEquals(startsOn(new Searched(groundOf(world), now)), [now + 1000, undefined]);
});

Deno.test("Keeping: a gang whose own members end before it starts is not told that it waits for itself", () => {
  const uses = [{ node: "a", kind: "k", count: 1, requests: new Map([["gpu", 1]]) }];
  const told = (id: string) => {
    const world = {
      ...worldOf({ nodes: { a: "0" }, gangs: [{ name: "one", members: [{ count: 1 }] }] }),
      reservations: 1,
      ending: () => [{ id, endsAt: now + 1000, uses }],
    };
    const table = new Timetable(groundOf(world), now);
    const [group] = world.waiting;
    const demands = group!.gangs().map((gang) => demandOf(gang, world.settings));
    const part = partOf(demands, { ground: table.free });
    return new Keeping(world, { table, now }).keepFor(group!, {
      part,
      demands,
      looks: new Looks(),
    });
  };
  const [by, own] = [told("default/other"), told("default/one")];
  assertEquals([by?.after, own?.after], ["default/other", undefined]);
  assertEquals(own?.startsAt, by?.startsAt);
});

Deno.test("Keeping: a start that was promised for fewer members than are needed now is promised no more", () => {
  const uses = [{ node: "a", kind: "k", count: 1, requests: new Map([["gpu", 1]]) }];
  const startsOf = (count: number) => {
    const group = { reserved: { startsAt: now + 1000, uses } };
    const world = {
      ...worldOf({ nodes: { a: "0" }, gangs: [{ name: "one", members: [{ count }], group }] }),
      reservations: 1,
      ending: () => [{ id: "default/other", endsAt: now + 1000, uses }],
    };
    const table = new Timetable(groundOf(world), now);
    const [waiting] = world.waiting;
    const demands = waiting!.gangs().map((gang) => demandOf(gang, world.settings));
    const part = partOf(demands, { ground: table.free });
    const keeping = new Keeping(world, { table, now });
    return keeping.keepFor(waiting!, { part, demands, looks: new Looks() })?.startsAt;
  };
  assertEquals([startsOf(1), startsOf(2)], [now + 1000, undefined]);
});

/** Counts for how many groups room is kept. */
class Kept extends Timetable {
  times = 0;

  override keep(...[uses, span]: Parameters<Timetable["keep"]>): ReturnType<Timetable["keep"]> {
    this.times++;
    return super.keep(uses, span);
  }
}

Deno.test("Keeping: of the groups of a namespace that have been passed for long room is kept for the first ones", () => {
  const keeps = (nodes: number, waiting: number, { others = 0, backfillMs = 1, gpus = 8 } = {}) => {
    const names = Array.from({ length: nodes }, (_, at) => `n${at}`);
    const capacity = new Map(names.map((name) => [name, new Map([["gpu", gpus]])]));
    const gangs = Array.from({ length: waiting }, (_, at) => ({
      name: `g${at}`,
      members: [{ count: 1 }],
      group: { shortSince: now - 1 },
    }));
    const world = worldOf({
      nodes: Object.fromEntries(names.map((name) => [name, "0"])),
      gangs,
      world: { backfillMs, capacity: () => capacity },
    });
    const table = new Kept(groundOf(world), now);
    const keeping = new Keeping(world, { table, now });
    for (const [at, group] of world.waiting.entries()) {
      const demands = group.gangs().map((gang) => demandOf(gang, world.settings))
        .map(({ facts, ...rest }) => {
          const namespace = at < waiting - others ? "default" : `other-${at}`;
          return { ...rest, facts: { ...facts, gang: { ...facts.gang, namespace } } };
        });
      const part = partOf(demands, { ground: table.free });
      keeping.keepFor(group, { part, demands, looks: new Looks() });
    }
    return { times: table.times, ahead: keeping.ahead?.gang };
  };
  const keptFor = (...of: Parameters<typeof keeps>) => keeps(...of).times;
  assertEquals(keptFor(10, 70), 70);
  assertEquals(keptFor(2000, 70), 50);
  assertEquals(keptFor(2000, 70, { others: 3 }), 53);
  assertEquals(keptFor(2000, 70, { backfillMs: 0 }), 70, "nobody may pass");
  assertEquals(keptFor(12_000, 12), 10, "however many nodes there are");
  assertEquals(keeps(2000, 70).ahead, "default/g0");
  assertEquals(keeps(2000, 52, { gpus: 0 }), { times: 0, ahead: undefined }, "nothing to keep");
});
