/**
 * Append-only schema migrations of one durable object.
 *
 * @module
 */
import type { DurableObjectStorage } from "./embedded/types.ts";

/** One step of a schema; once released it is never edited, reordered or removed. */
export interface Migration {
  readonly id: string;
  readonly sql: string;
}

/**
 * Applies what is missing, all or nothing.
 *
 * @throws {Error} if what was applied before is not the beginning of the list.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly Migration[]): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    sql.exec("CREATE TABLE IF NOT EXISTS migrations (seq INTEGER PRIMARY KEY, id TEXT NOT NULL)");
    const applied = sql.exec<{ id: string }>("SELECT id FROM migrations ORDER BY seq").toArray();
    applied.forEach(({ id }, index) => {
      if (migrations[index]?.id === id) return;
      throw new Error(
        `Cannot open the store: migration ${index + 1} was "${id}" and is now "${
          migrations[index]?.id ?? "missing"
        }"; the list is append-only, so run the version that wrote the store or a newer one`,
      );
    });
    for (const { id, sql: statement } of migrations.slice(applied.length)) {
      sql.exec(statement);
      sql.exec("INSERT INTO migrations (id) VALUES (?)", id);
    }
  });
}
