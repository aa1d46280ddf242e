import type { SqliteFile } from "./sqlite_file.ts";
import type { KvStorage, SqlStorage } from "./types.ts";

/** What the objects of a class keep: tables of their own, in a file each, or values, in one file for all of them. */
export type Kept = "tables" | "values";

/** Where one object keeps what it stores. */
export interface Keeping {
  readonly kept: Kept;
  readonly file: SqliteFile;
  /** Of an object that keeps tables. */
  readonly sql?: SqlStorage;
  /** Of an object that keeps values. */
  readonly kv?: KvStorage;
  /** Whether all of it was deleted, and nothing was stored since. */
  readonly isCleared: boolean;
  /** The object is about to be constructed. */
  begin(): void;
  /** It has been. */
  built(): void;
  /** Deletes all of it. */
  clear(): void;
  /** It is not used for a while. */
  release(): void;
}
