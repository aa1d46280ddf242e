import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../../shared/core/gang/limits.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { EmbeddedSql } from "../../shared/store/embedded/sql.ts";
import type { SqliteFile } from "../../shared/store/embedded/sqlite_file.ts";
import { GangObject } from "../../shared/store/gang_object.ts";
import { LongTexts, longTextsTable } from "../../shared/store/long_texts.ts";
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
  const db = new DatabaseSync(":memory:");
  const sql = new EmbeddedSql({ db } as unknown as SqliteFile);
  sql.exec(longTextsTable);
  return { db, sql, long: new LongTexts(sql), [Symbol.dispose]: () => db.close() };
}

Deno.test("property: a long text comes back as it was, and no row is near the limit of 2 MB", () => {
  using store = open();
  const { sql, long } = store;
  fc.assert(
    fc.property(fc.constantFrom("a", "b"), text, (key, text) => {
      const head = long.put(key, text);
      assertEquals(long.get(key, head) === text, true, `${text.length} units`);
      const longest = sql.exec<{ n: number }>(
        "SELECT max(octet_length(text)) AS n FROM (SELECT text FROM long_texts UNION SELECT ?)",
        head,
      ).one();
      assert(longest.n <= 400_000, `${longest.n} bytes`);
    }),
    runs(100),
  );
});

Deno.test("long texts: what was put away before is deleted, and short texts put nothing away", () => {
  using store = open();
  const { sql, long } = store;
  const count = () => sql.exec<{ n: number }>("SELECT count(*) AS n FROM long_texts").one().n;
  assertEquals([long.put("a", "short"), count()], ["short", 0]);
  long.put("a", "x".repeat(250_000));
  long.put("b", "x".repeat(250_000));
  assertEquals(count(), 4);
  long.put("a", "x".repeat(150_000));
  assertEquals(count(), 3);
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
  const minResources = Object.fromEntries(
    Array.from(
      { length: limits.resources },
      (
        _,
        index,
      ) => [`${index}`.padEnd(limits.resourceName, "\x01"), "\x01".repeat(limits.quantity)],
    ),
  );
  const gangs = names.map((name) => gang({ namespace, name, groups, minResources }));
  await using store = new TestStore();
  const { lines } = await store.host.namespace(GangObject, { className: "GangObject", env: {} })
    .getByName("a")
    .permit({ stage: "permit", group: group(...gangs), settings: profiles.default });
  const longest = Math.max(
    ...lines.map((line) => new TextEncoder().encode(JSON.stringify(line)).length),
  );
  assertGreater(longest, 100_000);
  assertLess(longest, 200_000);
});
