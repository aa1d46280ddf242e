import { EmbeddedSql } from "./sql.ts";
import { isDamage, type SqliteFile } from "./sqlite_file.ts";
import type { AlarmInvocationInfo, SqlRow, SqlValue } from "./types.ts";

/** Time and timers, so that tests can bring their own. `now` is in ms since the epoch. */
export interface Clock {
  now(): number;
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The clock of the machine; looks the globals up at each call, so that patched ones count. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
};

/** The alarm of one object, as its storage sees it. */
export interface ObjectAlarm {
  /** Due time in ms, or null. */
  get(): number | null;
  /** Sets the due time in ms, or with null takes the alarm back. */
  put(due: number | null): void;
}

/** Names an object. */
export interface ObjectKey {
  className: string;
  name: string;
}

/** The same as one text. */
export function keyText({ className, name }: ObjectKey): string {
  return `${className}\0${name}`;
}

/** What {@linkcode Alarms} needs. */
export interface AlarmsOptions {
  file: SqliteFile;
  clock: Clock;
  /** Runs the handler of an object; a rejection means that it is tried again. */
  fire: (key: ObjectKey, info: AlarmInvocationInfo) => Promise<void>;
  /** Told of an alarm that is given up, or could not be read. */
  onError: (error: Error) => void;
}

/** Cloudflare's rule: an alarm that throws is tried again after 2 s, 4 s, …, six times. */
const mostRetries = 6;
const firstRetryMs = 2000;

/** Handlers that run at one time: many may be overdue when the host starts. */
const atOnce = 32;

/** Longest delay of a timer. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * What the file of the alarms is set up with. The lock on it is the lock of the whole folder too: the kernel lets go of it
 * when the process ends, however it ends, so there is no stale lock to clear away.
 */
export const alarmsSetup = `
  CREATE TABLE IF NOT EXISTS alarms (
  class TEXT NOT NULL, name TEXT NOT NULL, due INTEGER NOT NULL, retries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (class, name)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS alarms_by_due ON alarms (due)`;

type AlarmRow = { className: string; name: string; due: number; retries: number };

/**
 * All alarms of a host, durable in one file, with one timer for the earliest. An alarm stays in the file until its handler
 * has returned, so one that a crash cut short fires again: at least once, as on Cloudflare.
 */
export class Alarms {
  #options: AlarmsOptions;
  #sql: EmbeddedSql;
  #classes = new Set<string>();
  /** Alarms whose handler runs; `isReplaced` when it has set or deleted the alarm since. */
  #firing = new Map<string, { isReplaced: boolean; done: Promise<void> }>();
  /** Alarms of which it could not be stored that they fired: how often, and until when they do not fire again. */
  #unsettled = new Map<string, { times: number; until: number }>();
  #timer: { due: number; handle: unknown } | undefined;
  #isStopped = false;

  constructor(options: AlarmsOptions) {
    this.#options = options;
    this.#sql = new EmbeddedSql(options.file);
    this.own();
  }

  /** Makes sure that this process has the folder's lock, also when somebody deleted the folder; throws otherwise. */
  own(): void {
    const { file } = this.#options;
    if (file.isMoved()) file.close();
    file.open();
  }

  /** Lets the alarms of a class fire: those that are overdue do so at once. */
  enable(className: string): void {
    this.#classes.add(className);
    this.#arm();
  }

  /** When the object's alarm is due in ms, or null; null too while its handler runs. */
  get(key: ObjectKey): number | null {
    if (this.#firing.get(keyText(key))?.isReplaced === false) return null;
    const [row] = this.#exec<{ due: number }>(
      "SELECT due FROM alarms WHERE class = ? AND name = ?",
      key.className,
      key.name,
    );
    return row?.due ?? null;
  }

  /** Sets the object's alarm to `due` ms, or deletes it when null. */
  put(key: ObjectKey, due: number | null): void {
    const firing = this.#firing.get(keyText(key));
    if (due === null) {
      this.#delete(key);
    } else {
      this.#exec(
        "REPLACE INTO alarms (class, name, due) VALUES (?, ?, ?)",
        key.className,
        key.name,
        due,
      );
    }
    if (firing !== undefined) firing.isReplaced = true;
    this.#unsettled.delete(keyText(key));
    if (due !== null) this.#armFor(due);
  }

  /** Fires no more, and waits for the handlers that run. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await Promise.all([...this.#firing.values()].map((firing) => firing.done));
  }

  /** Gives the lock back: no alarm may be asked for any more. */
  close(): void {
    this.#options.file.close();
  }

  /** Alarms of which the file is damaged are lost, as their objects' files may be. */
  #exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]): Row[] {
    this.own();
    try {
      return this.#sql.exec<Row>(query, ...bindings).toArray();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#options.file.removeDamaged(error);
      return this.#sql.exec<Row>(query, ...bindings).toArray();
    }
  }

  #arm(): void {
    this.#stopTimer();
    this.#orInAMoment(() => this.#armForNext());
  }

  #armForNext(): void {
    if (this.#firing.size >= atOnce) return;
    const now = this.#options.clock.now();
    const alone = this.#unsettled.values().map(({ until }) => until).filter((at) => at > now);
    const due = Math.min(this.#waiting(1)[0]?.due ?? Infinity, ...alone);
    if (due < Infinity) this.#armFor(due);
  }

  #armFor(due: number): void {
    if (this.#isStopped || (this.#timer !== undefined && this.#timer.due <= due)) return;
    this.#stopTimer();
    const { clock } = this.#options;
    const delay = Math.min(Math.max(0, due - clock.now()), longestTimerMs);
    this.#timer = { due, handle: clock.setTimeout(() => this.#tick(), delay) };
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer.handle);
    this.#timer = undefined;
  }

  #tick(): void {
    this.#timer = undefined;
    this.#orInAMoment(() => {
      const now = this.#options.clock.now();
      for (const row of this.#waiting(atOnce - this.#firing.size)) {
        if (row.due <= now) this.#start(row);
      }
      this.#armForNext();
    });
  }

  /** Reads the alarms; where that fails a timer tries again. */
  #orInAMoment(read: () => void): void {
    const { clock, onError } = this.#options;
    try {
      read();
    } catch (error) {
      onError(new Error("Cannot read the alarms of the embedded store", { cause: error }));
      this.#armFor(clock.now() + firstRetryMs);
    }
  }

  /** The earliest alarms that do not run, may fire, and whose class is known. */
  #waiting(limit: number): AlarmRow[] {
    const rows = this.#exec<AlarmRow>(
      `SELECT class AS className, name, due, retries FROM alarms
       WHERE class IN (SELECT value FROM json_each(?)) ORDER BY due LIMIT ?`,
      JSON.stringify([...this.#classes]),
      limit + this.#firing.size + this.#unsettled.size,
    );
    const now = this.#options.clock.now();
    return rows.filter((row) => {
      const { until = 0 } = this.#unsettled.get(keyText(row)) ?? {};
      return until <= now && !this.#firing.has(keyText(row));
    }).slice(0, limit);
  }

  #start(row: AlarmRow): void {
    const firing = { isReplaced: false, done: Promise.resolve() };
    this.#firing.set(keyText(row), firing);
    firing.done = this.#run(row, firing);
  }

  async #run(row: AlarmRow, firing: { isReplaced: boolean }): Promise<void> {
    let failure: unknown;
    try {
      await this.#options.fire(row, { isRetry: row.retries > 0, retryCount: row.retries });
    } catch (error) {
      failure = error ?? new Error("no reason was given");
    }
    try {
      if (!firing.isReplaced) this.#settle(row, failure);
      this.#unsettled.delete(keyText(row));
    } catch (error) {
      this.#leaveAlone(row);
      this.#options.onError(new Error(`Cannot store the alarm of "${row.name}"`, { cause: error }));
    }
    this.#firing.delete(keyText(row));
    if (!this.#isStopped) this.#arm();
  }

  /** It is still due as its row says, and would fire at once. */
  #leaveAlone(row: AlarmRow): void {
    const { times = 0 } = this.#unsettled.get(keyText(row)) ?? {};
    const until = this.#options.clock.now() + firstRetryMs * 2 ** Math.min(times, mostRetries);
    this.#unsettled.set(keyText(row), { times: times + 1, until });
  }

  #settle(row: AlarmRow, failure: unknown): void {
    if (failure !== undefined && row.retries < mostRetries) {
      const due = this.#options.clock.now() + firstRetryMs * 2 ** row.retries;
      this.#exec(
        "UPDATE alarms SET due = ?, retries = ? WHERE class = ? AND name = ?",
        due,
        row.retries + 1,
        row.className,
        row.name,
      );
      return;
    }
    this.#delete(row);
    if (failure !== undefined) {
      this.#options.onError(
        new Error(
          `Alarm of "${row.name}" (${row.className}) is given up: it failed ${
            mostRetries + 1
          } times`,
          { cause: failure },
        ),
      );
    }
  }

  #delete(key: ObjectKey): void {
    this.#exec("DELETE FROM alarms WHERE class = ? AND name = ?", key.className, key.name);
  }
}
