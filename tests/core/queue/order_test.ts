import { assertEquals, assertLessOrEqual, assertNotEquals } from "@std/assert";
import { queueKeys, type QueueUnit } from "../../../shared/core/queue/order.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { checkOrder, keysOfCore, member, orderCases } from "../../conformance/cases/order_cases.ts";
import { at, gang } from "../../support/facts.ts";

for (const row of orderCases) {
  Deno.test(`queue-sort: ${row.id}`, () => checkOrder(keysOfCore(row), row));
}

const options = { failedAt: new Map<string, number>(), settings: profiles.default };

Deno.test("queue-sort: every unit of a gang group gets the same key", () => {
  const groups = ["default/a", "default/b"];
  const keys = queueKeys([
    member("a.0", { groups, created: 5, priority: 1 }),
    member("b.0", { groups: groups.toReversed(), created: 3, priority: 2 }),
    member("c.0", {}),
  ], options);
  assertEquals(keys[0]!.key, keys[1]!.key);
  assertNotEquals(keys[0]!.key, keys[2]!.key);
});

Deno.test("queue-sort: ten thousand members of one gang cost no more than each once", () => {
  let reads = 0;
  const spec = gang({ name: "big" }).gang;
  const counted = {
    ...spec,
    get createdAt() {
      reads++;
      return spec.createdAt;
    },
  };
  const units = Array.from({ length: 10_000 }, (_, index) => ({
    id: `${index}`,
    gang: counted,
    priority: 0,
    queuedAt: at(0),
  }));
  assertEquals(new Set(queueKeys(units, options).map(({ key }) => key)).size, 1);
  assertLessOrEqual(reads, 2 * units.length);
});

Deno.test("queue-sort: a gang comes first that has lost members, not one that has lost all or none", () => {
  const keyOf = (parts: Partial<QueueUnit>) =>
    queueKeys(
      [{ id: "a", gang: gang({ minMember: 3 }).gang, priority: 0, queuedAt: at(0), ...parts }],
      options,
    )[0]!.key;
  const usual = keyOf({});
  const rows: [parts: Partial<QueueUnit>, isFirst: boolean][] = [
    [{ wholeAt: 3 }, false],
    [{ bound: 1 }, false],
    [{ bound: 1, wholeAt: 2 }, false],
    [{ bound: 1, wholeAt: 3 }, true],
    [{ bound: 2, wholeAt: 4 }, true],
    [{ bound: 3, wholeAt: 3 }, false],
  ];
  for (const [parts, isFirst] of rows) assertEquals(keyOf(parts) < usual, isFirst);
});

Deno.test("queue-sort: a gang group comes first where one of its gangs has lost members", () => {
  const groups = ["default/a", "default/b"];
  const unit = (name: string, parts: Partial<QueueUnit>): QueueUnit => ({
    id: name,
    gang: gang({ name, groups, minMember: 3 }).gang,
    priority: 0,
    queuedAt: at(0),
    ...parts,
  });
  const keyWith = (parts: Partial<QueueUnit>) =>
    queueKeys([unit("a", {}), unit("b", parts)], options)[0]!.key;
  assertEquals(keyWith({ bound: 1, wholeAt: 3 }) < keyWith({}), true);
});
