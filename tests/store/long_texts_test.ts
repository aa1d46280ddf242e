import { assertEquals, assertGreater, assertLess, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { limits } from "../../shared/core/gang/limits.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import type { KvStorage } from "../../shared/store/embedded/types.ts";
import { GangObject } from "../../shared/store/gang_object.ts";
import { LongTexts } from "../../shared/store/long_texts.ts";
import { runs } from "../property/runs.ts";
import { gang, group } from "../support/facts.ts";
import { TestStore } from "./test_store.ts";

/** Lengths around those at which a text is cut, of characters that take one unit or two. */
const text = fc.tuple(
  fc.constantFrom("", "x"),
  fc.constantFrom("a", "ü", "€", "🂡"),
  fc.oneof(fc.nat(9), fc.integer({ min: 49_990, max: 50_010 }), fc.constantFrom(100_000, 333_333)),
).map(([first, character, count]) => first + character.repeat(count));

function open() {
  const values = new Map<string, string>();
  const kv = {
    get: (key: string) => values.get(key),
    put: (key: string, text: string) => void values.set(key, text),
  } as KvStorage;
  return { values, long: new LongTexts({ kv, transactionSync: (body) => body() }) };
}

Deno.test("property: a long text comes back as it was, whatever was there before, and no value is near the limit of 2 MB", () => {
  const { values, long } = open();
  fc.assert(
    fc.property(fc.constantFrom("a", "b"), text, (key, text) => {
      long.put(key, text);
      assertEquals(long.get(key) === text, true, `${text.length} units`);
      for (const value of values.values()) {
        assertLessOrEqual(new TextEncoder().encode(value).length, 400_000);
      }
    }),
    runs(100),
  );
});

Deno.test("long texts: where there is none, and how many values there are of one", () => {
  const { values, long } = open();
  assertEquals(long.get("a"), undefined);
  const lengths = [5, 99_999, 100_000, 250_000].map((length) => {
    values.clear();
    long.put("a", "x".repeat(length));
    return values.size;
  });
  assertEquals(lengths, [1, 1, 2, 3]);
});

Deno.test("long texts: no line of an index is one, however long what the contract allows", async () => {
  const namespace = "s".repeat(limits.namespace);
  const names = Array.from(
    { length: limits.groupGangs },
    (_, index) =>
      `${index}`.padEnd(limits.groupNames / limits.groupGangs - namespace.length - 1, "n"),
  );
  const groups = names.map((name) => `${namespace}/${name}`);
  // A letter that JSON writes as six bytes.
  const odd = (count: number, [key, value]: readonly [number, number]) =>
    Object.fromEntries(
      Array.from(
        { length: count },
        (_, index) => [`${index}`.padEnd(key, "\x01"), "\x01".repeat(value)],
      ),
    );
  const minResources = odd(limits.resources, [limits.resourceName, limits.quantity]);
  const attributes = odd(limits.attributes, [limits.attributeKey, limits.attributeValue]);
  const key = "k".repeat(limits.nodeLabel);
  const preferred = Array.from({ length: limits.preferredLevels }, () => key);
  const topology = { required: key, preferred, slice: { key, members: 1 } };
  const roles = Array.from(
    { length: limits.roles },
    (_, index) => ({ name: `${index}`.padEnd(limits.roleName, "r"), min: 0, topology }),
  );
  const asked = { groups, minResources, attributes, topology, roles };
  const gangs = names.slice(0, 2).map((name) => gang({ namespace, name, ...asked }));
  await using store = new TestStore();
  const { lines } = await store.host.namespace(GangObject, {
    className: "GangObject",
    env: {},
    kept: "values",
  }).getByName("a")
    .permit({ stage: "permit", group: group(...gangs), settings: profiles.default });
  const longest = Math.max(
    ...lines.map((line) => new TextEncoder().encode(JSON.stringify(line)).length),
  );
  assertGreater(longest, 500_000);
  assertLess(longest, 600_000);
});
