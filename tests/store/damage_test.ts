import { assertEquals, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { profiles } from "../../shared/core/gang/settings.ts";
import { GangObject } from "../../shared/store/gang_object.ts";
import { IndexObject } from "../../shared/store/index_object.ts";
import { gang, group } from "../support/facts.ts";
import { TestStore } from "./test_store.ts";

const event = { stage: "permit", group: group(gang()), settings: profiles.default } as const;

const damages: [what: string, damage: (path: string) => void][] = [
  ["lacks its last byte", (path) => cut(path, 1)],
  ["lacks half a page", (path) => cut(path, 2048)],
  ["has a text that is cut off", cutTexts],
  ["has tables that nobody can read", spoilTables],
];

for (const [what, damage] of damages) {
  Deno.test(`damage: where the file of the gang groups ${what} they begin anew, and it is told`, async () => {
    await using store = new TestStore();
    await gangsOf(store).permit(event);
    await store.reopen(() => damage(join(store.dir, "GangObject", "values.sqlite")));
    assertEquals(await gangsOf(store).describe("default/a"), undefined);
    assertStringIncludes(store.errors.join("; "), 'sqlite" is damaged');
  });

  Deno.test(`damage: where the file of an index ${what} it begins anew, and it is told`, async () => {
    await using store = new TestStore();
    const { lines } = await gangsOf(store).permit(event);
    await indexOf(store).record(lines, profiles.default);
    await store.reopen(() => {
      const folder = join(store.dir, "IndexObject");
      for (const { name } of Deno.readDirSync(folder)) damage(join(folder, name));
    });
    assertEquals(await indexOf(store).list({ limit: 9 }), { gangs: [] });
    assertStringIncludes(store.errors.join("; "), 'sqlite" is damaged');
  });
}

Deno.test("damage: where the file of the alarms has tables that nobody can read the store opens, and it is told", async () => {
  await using store = new TestStore();
  await gangsOf(store).permit(event);
  await store.reopen(() => spoilTables(join(store.dir, "alarms.sqlite")));
  assertEquals((await gangsOf(store).describe("default/a"))?.name, "a");
  assertStringIncludes(store.errors.join("; "), 'alarms.sqlite" is damaged');
});

function gangsOf({ host }: TestStore) {
  const options = { className: "GangObject", env: {}, kept: "values" } as const;
  return host.namespace(GangObject, options).getByName("a");
}

function indexOf({ host }: TestStore) {
  return host.namespace(IndexObject, { className: "IndexObject", env: {} }).getByName("a");
}

function cut(path: string, bytes: number): void {
  Deno.truncateSync(path, Deno.statSync(path).size - bytes);
}

/** As where SQLite reads zeros in their place. */
function cutTexts(path: string): void {
  const db = new DatabaseSync(path);
  const isIndex = path.includes("IndexObject");
  const [table, column] = isIndex ? ["gangs", "line"] : ["object_values", "value"];
  db.exec(`UPDATE ${table} SET ${column} = substr(${column}, 1, length(${column}) - 9)`);
  db.close();
}

/** As where bytes of what SQLite knows of them have changed. */
function spoilTables(path: string): void {
  const text = Buffer.from(Deno.readFileSync(path)).toString("latin1");
  Deno.writeFileSync(path, Buffer.from(text.replaceAll(" NOT NULL", '"NOT NULL'), "latin1"));
}
