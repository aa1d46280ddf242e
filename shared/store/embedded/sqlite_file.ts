import { DatabaseSync } from "node:sqlite";
import { existsSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DamagedError } from "../damage.ts";
import { privateFile, privateFolder } from "./private_files.ts";

/** What a {@linkcode SqliteFile} may be told. */
export interface SqliteFileOptions {
  /** Statements to run on every opening, once the file is this process's alone. */
  setup?: string;
  /** Told when a damaged file was deleted, or one was found to be gone. */
  onError: (error: Error) => void;
}

/** A database takes up to three files. */
const fileParts = ["", "-wal", "-shm"];

/** Name of a file that is being written. */
const unfinishedFile = "unfinished";

/** How long a statement waits for a lock that somebody else has on the file (a backup, say), in ms. */
const busyTimeoutMs = 1000;

/**
 * One SQLite file that is opened on first use and survives what people do to files: SQLite itself goes on
 * writing to a file that was deleted, and every write is lost, so the host asks {@linkcode isMoved} before each call.
 */
export class SqliteFile {
  readonly path: string;
  readonly #log: string;
  #options: SqliteFileOptions;
  #db: DatabaseSync | undefined;
  #inode: number | undefined;
  #isRemoved = false;
  #losses = 0;

  constructor(path: string, options: SqliteFileOptions) {
    this.path = path;
    this.#log = `${path}-wal`;
    this.#options = options;
  }

  /** The open database. A file that is not a database is deleted first and a new one begun. */
  get db(): DatabaseSync {
    return this.#db ??= this.#open();
  }

  /** Whether the database was deleted, and is not used again yet. */
  get isRemoved(): boolean {
    return this.#isRemoved;
  }

  /** How often what was in it was lost: whoever remembers it remembers what is not there. */
  get losses(): number {
    return this.#losses;
  }

  /** Opens the database if it is not open. */
  open(): void {
    this.#db ??= this.#open();
  }

  #open(): DatabaseSync {
    try {
      return this.#openOnce();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.removeDamaged(error);
      return this.#openOnce();
    }
  }

  #openOnce(): DatabaseSync {
    privateFolder(dirname(this.path));
    // An empty file is a new database; its log is as open to others as it is.
    privateFile(this.path);
    const hasLog = existsSync(this.#log);
    if (hasLog) privateFile(this.#log);
    const db = new DatabaseSync(this.path, { timeout: busyTimeoutMs });
    try {
      // Turning a new file into one with a log, and beginning that log, writes only what can be written again: no need
      // to wait for the disk, which is most of what a new object costs.
      // NORMAL: a commit survives the end of the process; a power cut may undo the last ones, but damages nothing.
      // EXCLUSIVE: nobody else has the file, so that its log needs no index in a third file and a call no locks.
      db.exec(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; PRAGMA user_version = 1; PRAGMA synchronous = NORMAL",
      );
      // The first look at the content opens the log, which isMoved() watches too.
      db.exec("SELECT count(*) FROM sqlite_schema");
      // What a crash left in the log may be what the file lacks.
      if (hasLog) db.exec("PRAGMA wal_checkpoint(FULL)");
      this.#refuseCut(db);
      if (this.#options.setup !== undefined) db.exec(this.#options.setup);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#inode = inode(this.path);
    this.#isRemoved = false;
    return db;
  }

  /** SQLite takes what is missing of the last page for zeros. */
  #refuseCut(db: DatabaseSync): void {
    const { bytes } = db.prepare(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
    ).get() as { bytes: number };
    const { size } = statSync(this.path);
    if (size < bytes) throw new DamagedError(`It has ${size} bytes of ${bytes}`);
  }

  /** Makes the file with the content of another one; tells whether there was none yet. */
  begin(content: Uint8Array | undefined): boolean {
    if (existsSync(this.path)) return false;
    if (content === undefined) return true;
    const folder = dirname(this.path);
    privateFolder(folder);
    // A log that outlived its file would be taken for the new one's.
    this.#removeParts();
    // Written elsewhere first: a crash must leave all of it or nothing.
    const unfinished = join(folder, unfinishedFile);
    privateFile(unfinished);
    writeFileSync(unfinished, content);
    renameSync(unfinished, this.path);
    return true;
  }

  /** Closes the database and reads its file; undefined where that is not all of it. */
  content(): Uint8Array | undefined {
    if (this.#db === undefined || this.isMoved()) return undefined;
    this.close();
    return existsSync(this.#log) ? undefined : readFileSync(this.path);
  }

  /** Whether the file was deleted or replaced, or its log deleted, while it was open. */
  isMoved(): boolean {
    if (this.#db === undefined) return false;
    return inode(this.path) !== this.#inode || !existsSync(this.#log);
  }

  /** Closes a database whose file was {@linkcode isMoved}, and tells `onError`. */
  noticeLoss(): void {
    if (!this.isMoved()) return;
    this.close();
    this.#losses++;
    this.#options.onError(
      new Error(`Store file "${this.path}" was deleted or replaced: what it kept is begun anew`),
    );
  }

  /** Closes the database; the next use opens it again. */
  close(): void {
    const db = this.#db;
    this.#db = undefined;
    try {
      db?.close();
    } catch {
      // The last checkpoint of a file that is gone or damaged may fail: nothing is left to save.
    }
  }

  /** Closes and deletes the database. */
  remove(): void {
    // SQLite does not write the log into a file that is gone, and leaves it behind.
    unlinkIfThere(this.path);
    this.close();
    this.#removeParts();
    this.#isRemoved = true;
  }

  #removeParts(): void {
    for (const part of fileParts) unlinkIfThere(this.path + part);
  }

  /** Deletes a damaged database, of which nothing needs to be kept, and tells `onError`. */
  removeDamaged(cause: unknown): void {
    this.remove();
    this.#losses++;
    this.#options.onError(
      new Error(`Store file "${this.path}" is damaged: it was deleted and is begun anew`, {
        cause,
      }),
    );
  }
}

/** Whether the error says that the content of a database file is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedError || isSqliteError(error) &&
      /file is not a database|database disk image is malformed|malformed database schema/.test(
        error.message,
      );
}

/** Whether the error came from SQLite. */
export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
}

function unlinkIfThere(path: string): void {
  if (existsSync(path)) unlinkSync(path);
}

function inode(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
