/**
 * The tables of a durable object.
 *
 * @module
 */
import type { DurableObjectStorage } from "./embedded/types.ts";

/**
 * Makes the tables, all or nothing. Where there are those of another schema they are dropped first, with all that is in
 * them: the store may be empty at any time. Rows whose content means something else need another schema, too.
 */
export function openSchema(storage: DurableObjectStorage, schema: string): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    // The platform's own tables are not to be touched.
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'",
    ).toArray().map(({ name }) => name);
    if (tables.includes("schema")) {
      const [made] = sql.exec<{ text: string }>("SELECT text FROM schema").toArray();
      if (made?.text === schema) return;
    }
    for (const name of tables) sql.exec(`DROP TABLE ${name}`);
    sql.exec(schema);
    sql.exec("CREATE TABLE schema (text TEXT NOT NULL)");
    sql.exec("INSERT INTO schema (text) VALUES (?)", schema);
  });
}
