import { DatabaseSync } from "node:sqlite";
import type { Keeping, Kept } from "../../../shared/store/embedded/keeping.ts";
import { OwnValues, valuesSetup } from "../../../shared/store/embedded/own_values.ts";
import { EmbeddedSql } from "../../../shared/store/embedded/sql.ts";
import type { SqliteFile } from "../../../shared/store/embedded/sqlite_file.ts";
import { EmbeddedStorage } from "../../../shared/store/embedded/storage.ts";
import type { DurableObjectId, DurableObjectState } from "../../../shared/store/embedded/types.ts";

/** Storage of objects of one class, in memory; emptied and used again, because opening a database takes long. */
export class StoragePool {
  readonly #free: PooledState[] = [];
  readonly #kept: Kept;

  constructor(kept: Kept) {
    this.#kept = kept;
  }

  /** An object's state, empty. */
  take(): PooledState {
    return this.#free.pop() ?? new PooledState(this.#kept);
  }

  /** Gives it back. */
  put(state: PooledState): void {
    state.empty();
    this.#free.push(state);
  }
}

/** The state of one object. */
export class PooledState implements DurableObjectState {
  readonly id: DurableObjectId = { equals: (other) => other === this.id };
  readonly storage: EmbeddedStorage;
  readonly #db = new DatabaseSync(":memory:");
  #tables: string[] | undefined;

  constructor(kept: Kept) {
    if (kept === "values") this.#db.exec(valuesSetup);
    let due: number | null = null;
    this.storage = new EmbeddedStorage(this.#keeping(kept), {
      alarm: { get: () => due, put: (at) => void (due = at) },
      canWake: true,
    });
  }

  #keeping(kept: Kept): Keeping {
    const file = { db: this.#db } as unknown as SqliteFile;
    const sql = new EmbeddedSql(file);
    if (kept === "values") return new OwnValues({ file, sql }, "object");
    return { kept, file, sql, clear: () => this.empty() } as Partial<Keeping> as Keeping;
  }

  blockConcurrencyWhile<T>(body: () => Promise<T>): Promise<T> {
    return body();
  }

  /** As an object that was just created: its tables are there, and nothing is in them. */
  empty(): void {
    this.#tables ??= this.#db.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('schema', 'sqlite_sequence')",
    ).all().map((row) => String(row["name"]));
    for (const table of this.#tables) this.#db.exec(`DELETE FROM ${table}`);
  }
}
