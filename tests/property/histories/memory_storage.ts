import { DatabaseSync } from "node:sqlite";
import type { SqliteFile } from "../../../shared/store/embedded/sqlite_file.ts";
import { EmbeddedStorage } from "../../../shared/store/embedded/storage.ts";
import type { DurableObjectId, DurableObjectState } from "../../../shared/store/embedded/types.ts";

/** Storage of objects of one class, in memory; emptied and used again, because opening a database takes long. */
export class StoragePool {
  readonly #free: PooledState[] = [];

  /** An object's state, empty. */
  take(): PooledState {
    return this.#free.pop() ?? new PooledState();
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

  constructor() {
    const file = { db: this.#db, remove: () => this.empty() };
    let due: number | null = null;
    this.storage = new EmbeddedStorage(file as unknown as SqliteFile, {
      alarm: { get: () => due, put: (at) => void (due = at) },
      canWake: true,
    });
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
