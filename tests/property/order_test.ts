import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { groupId } from "../../shared/core/gang/facts.ts";
import { type QueueKey, queueKeys, type QueueUnit } from "../../shared/core/queue/order.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { runs } from "./runs.ts";

const minute = fc.nat(3).map((minutes) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString());
const priority = fc.constantFrom(-(2 ** 31), -1, 0, 1, 2 ** 31 - 1);
const id = fc.constantFrom("default/a", "default/b", "other/a", "z");

/** Few names and times, so that everything ties with everything. */
const gangs = fc.array(
  fc.record({
    namespace: fc.constantFrom("default", "other"),
    name: fc.constantFrom("a", "b", "c"),
    createdAt: minute,
    minMember: fc.integer({ min: 1, max: 3 }),
    priority,
    bound: fc.nat(3),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Pods of gangs, each gang as it is, and regular pods, in any order. */
const queue: fc.Arbitrary<QueueUnit[]> = gangs.chain((list) => {
  const byId = new Map(list.map((gang) => [groupId(gang), gang]));
  const member = fc.record({ of: fc.constantFrom(...byId.values()), queuedAt: minute }).map(
    ({ of: { bound, ...gang }, queuedAt }) => ({ gang, queuedAt, bound, priority: gang.priority }),
  );
  const regular = fc.record({ priority, queuedAt: minute });
  return fc.array(fc.oneof(member, regular), { maxLength: 12 }).chain((units) =>
    fc.array(id, { minLength: units.length, maxLength: units.length })
      .map((ids) => units.map((unit, index) => ({ id: ids[index]!, ...unit })))
  );
});

const failedAt = fc.dictionary(fc.constantFrom("default/a", "other/a", "other/c"), fc.nat())
  .map((byGroup) => new Map(Object.entries(byGroup)));
const settings = fc.constantFrom(...Object.values(profiles));

function ordered(units: QueueUnit[], keys: QueueKey[]): QueueUnit[] {
  return units.map((unit, index) => ({ unit, key: keys[index]!.key }))
    .sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
    .map(({ unit }) => unit);
}

Deno.test("property: the queue never interleaves a gang with anything", () => {
  fc.assert(
    fc.property(queue, failedAt, settings, (units, failedAt, settings) => {
      const order = ordered(units, queueKeys(units, { failedAt, settings }))
        .map((unit, index) => unit.gang ? `gang ${groupId(unit.gang)}` : `pod ${index}`);
      const seen = new Set<string>();
      order.forEach((entry, index) => {
        assert(!seen.has(entry) || order[index - 1] === entry, `${entry} is in two places`);
        seen.add(entry);
      });
    }),
    runs(1000),
  );
});

Deno.test("property: a higher priority is always first", () => {
  fc.assert(
    fc.property(queue, failedAt, settings, (units, failedAt, settings) => {
      const priorities = ordered(units, queueKeys(units, { failedAt, settings }))
        .map((unit) => unit.priority);
      assertEquals(priorities, priorities.toSorted((a, b) => b - a));
    }),
    runs(1000),
  );
});

Deno.test("property: the order does not depend on the order of asking, and every place is distinct", () => {
  fc.assert(
    fc.property(queue, failedAt, settings, (units, failedAt, settings) => {
      const identity = (unit: QueueUnit) => unit.gang ? `gang ${groupId(unit.gang)}` : unit.id;
      const asked = new Map(
        queueKeys(units, { failedAt, settings }).map(({ key }, index) => [index, key]),
      );
      const reversed = queueKeys(units.toReversed(), { failedAt, settings }).toReversed();
      units.forEach((unit, index) => {
        assertEquals(reversed[index], { id: unit.id, key: asked.get(index)! });
        units.forEach((other, at) => {
          if (asked.get(at) === asked.get(index)) assertEquals(identity(other), identity(unit));
        });
      });
    }),
    runs(500),
  );
});

Deno.test("property: among regular pods the older of equal priority is first", () => {
  const regular = fc.record({ id: fc.uuid(), priority: fc.constantFrom(0, 5), queuedAt: minute });
  fc.assert(
    fc.property(fc.array(regular), settings, (units, settings) => {
      const order = ordered(units, queueKeys(units, { failedAt: new Map(), settings }));
      const times = (priority: number) =>
        order.filter((unit) => unit.priority === priority).map((unit) => unit.queuedAt);
      for (const priority of [0, 5]) {
        assertEquals(times(priority), times(priority).toSorted());
      }
    }),
    runs(500),
  );
});
