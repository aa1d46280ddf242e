import { deserialize, serialize } from "node:v8";
import type { Keeping } from "./keeping.ts";
import { type Gaps, refuse } from "./refuse.ts";
import type { EmbeddedSql } from "./sql.ts";
import type { SqliteFile } from "./sqlite_file.ts";
import type { KvStorage } from "./types.ts";

/** What the file of a class's values is set up with. */
export const valuesSetup = `
  CREATE TABLE IF NOT EXISTS object_values (
  object TEXT NOT NULL, key TEXT NOT NULL, value NOT NULL, PRIMARY KEY (object, key))`;

/** The file with the values of all objects of a class. */
export interface ValuesFile {
  readonly file: SqliteFile;
  readonly sql: EmbeddedSql;
}

/** The values of one object, as rows of the file that all objects of its class have together. */
export class OwnValues implements Keeping {
  readonly kept = "values";
  readonly file: SqliteFile;
  readonly kv: EmbeddedKv;
  readonly #sql: EmbeddedSql;
  readonly #object: string;

  constructor({ file, sql }: ValuesFile, object: string) {
    this.file = file;
    this.#sql = sql;
    this.#object = object;
    this.kv = new EmbeddedKv(sql, object);
  }

  get isCleared(): boolean {
    return this.kv.isCleared;
  }

  begin(): void {}

  built(): void {}

  clear(): void {
    this.#sql.exec("DELETE FROM object_values WHERE object = ?", this.#object);
    this.kv.isCleared = true;
  }

  release(): void {}
}

/** `ctx.storage.kv`. A text is kept as it is: most values are, and nothing is faster. */
class EmbeddedKv implements KvStorage {
  isCleared = false;
  readonly #sql: EmbeddedSql;
  readonly #object: string;

  constructor(sql: EmbeddedSql, object: string) {
    this.#sql = sql;
    this.#object = object;
  }

  get<T>(key: string): T | undefined {
    const [row] = this.#sql.exec<{ value: string | ArrayBuffer }>(
      "SELECT value FROM object_values WHERE object = ? AND key = ?",
      this.#object,
      key,
    ).toArray();
    if (row === undefined) return undefined;
    const { value } = row;
    return (typeof value === "string" ? value : deserialize(new Uint8Array(value))) as T;
  }

  put(key: string, value: unknown): void {
    this.#sql.exec(
      `INSERT INTO object_values (object, key, value) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET value = excluded.value`,
      this.#object,
      key,
      typeof value === "string" ? value : bytesOf(value),
    );
    this.isCleared = false;
  }

  delete(key: string): boolean {
    const deleted = this.#sql.exec(
      "DELETE FROM object_values WHERE object = ? AND key = ? RETURNING key",
      this.#object,
      key,
    ).toArray();
    return deleted.length > 0;
  }
}

const gaps: Gaps = { list: "keep a list under a key of its own" };

refuse(EmbeddedKv.prototype, { prefix: "storage.kv.", gaps });

function bytesOf(value: unknown): ArrayBuffer {
  const bytes = serialize(value);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
