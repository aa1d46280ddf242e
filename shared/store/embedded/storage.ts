import type { ObjectAlarm } from "./alarms.ts";
import type { Keeping } from "./keeping.ts";
import { type Gaps, refuse } from "./refuse.ts";
import type { DurableObjectStorage, KvStorage, SqlStorage } from "./types.ts";

/** `ctx.storage` over what is in a SQLite file and a row in the host's list of alarms. */
export class EmbeddedStorage implements DurableObjectStorage {
  #keeping: Keeping;
  #alarm: ObjectAlarm;
  #canWake: boolean;
  #depth = 0;
  /** An alarm set in a transaction that is still open: it must go if the transaction goes. */
  #pendingAlarm: { due: number | null } | undefined;

  constructor(keeping: Keeping, options: { alarm: ObjectAlarm; canWake: boolean }) {
    this.#keeping = keeping;
    this.#alarm = options.alarm;
    this.#canWake = options.canWake;
  }

  get sql(): SqlStorage {
    return this.#keeping.sql ?? this.#refuse("sql", "use storage.kv");
  }

  get kv(): KvStorage {
    return this.#keeping.kv ?? this.#refuse("kv", useSql);
  }

  #refuse(name: string, instead: string): never {
    throw new Error(
      `"storage.${name}" is not there for objects that keep ${this.#keeping.kept}: ${instead}`,
    );
  }

  transactionSync<T>(body: () => T): T {
    const { db } = this.#keeping.file;
    const outermost = this.#depth === 0;
    const savepoint = `muster_${this.#depth}`;
    const alarmBefore = this.#pendingAlarm;
    db.exec(outermost ? "BEGIN IMMEDIATE" : `SAVEPOINT ${savepoint}`);
    this.#depth++;
    try {
      const result = body();
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new TypeError(
          "Cannot commit a transaction whose body is async: pass a synchronous function to transactionSync",
        );
      }
      if (outermost) this.#writeAlarm();
      db.exec(outermost ? "COMMIT" : `RELEASE ${savepoint}`);
      return result;
    } catch (error) {
      this.#pendingAlarm = alarmBefore;
      // SQLite rolls back by itself on some errors (a full disk): then there is nothing left to undo.
      if (db.isTransaction) {
        db.exec(outermost ? "ROLLBACK" : `ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`);
      }
      throw error;
    } finally {
      this.#depth--;
    }
  }

  // deno-lint-ignore require-await -- the platform's interface is async; the write happens before it returns
  async getAlarm(): Promise<number | null> {
    return this.#pendingAlarm === undefined ? this.#alarm.get() : this.#pendingAlarm.due;
  }

  // deno-lint-ignore require-await -- see getAlarm
  async setAlarm(time: number | Date): Promise<void> {
    const due = time instanceof Date ? time.getTime() : time;
    if (typeof due !== "number" || Number.isNaN(due)) {
      throw new TypeError(
        `Cannot set an alarm: the time must be a Date or ms since the epoch: current value is "${time}"`,
      );
    }
    if (due <= 0) throw new TypeError("setAlarm() cannot be called with an alarm time <= 0");
    if (!this.#canWake) {
      throw new TypeError(
        "Your Durable Object class must have an alarm() handler in order to call setAlarm()",
      );
    }
    this.#putAlarm(Math.trunc(due));
  }

  // deno-lint-ignore require-await -- see getAlarm
  async deleteAlarm(): Promise<void> {
    this.#putAlarm(null);
  }

  // deno-lint-ignore require-await -- see getAlarm
  async deleteAll(): Promise<void> {
    if (this.#depth > 0) throw new Error("Cannot call deleteAll inside transactionSync");
    this.#alarm.put(null);
    this.#keeping.clear();
  }

  #putAlarm(due: number | null): void {
    this.#pendingAlarm = { due };
    if (this.#depth === 0) this.#writeAlarm();
  }

  #writeAlarm(): void {
    const pending = this.#pendingAlarm;
    this.#pendingAlarm = undefined;
    if (pending !== undefined) this.#alarm.put(pending.due);
  }
}

const useSql = "use storage.sql";
const gaps: Gaps = {
  get: useSql,
  put: useSql,
  list: useSql,
  delete: useSql,
  transaction: "use storage.transactionSync",
  sync: "every write is in the file when exec returns",
  getCurrentBookmark: "there is no point-in-time recovery: copy the folder",
  getBookmarkForTime: "there is no point-in-time recovery: copy the folder",
  onNextSessionRestoreBookmark: "there is no point-in-time recovery: copy the folder",
};

refuse(EmbeddedStorage.prototype, { prefix: "storage.", gaps });
