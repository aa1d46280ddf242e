import { DurableObject } from "../../shared/store/platform.ts";
import { openSchema } from "../../shared/store/schema.ts";
import type { AlarmInvocationInfo, DurableObjectState } from "../../shared/store/embedded/types.ts";

/** A durable object for tests: notes in order, with the ways in which they may fail to be kept. */
export class ProbeObject extends DurableObject {
  #running = 0;
  #calls = 0;
  field = 1;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    ctx.blockConcurrencyWhile(async () => {
      await Promise.resolve();
      ctx.storage.sql.exec(
        "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)",
      );
      ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value)");
    });
  }

  /** Calls since the object was constructed. */
  calls(): number {
    return ++this.#calls;
  }

  add(text: string): number {
    return this.ctx.storage.sql.exec<{ id: number }>(
      "INSERT INTO notes (text) VALUES (?) RETURNING id",
      text,
    ).one().id;
  }

  list(): string[] {
    return this.ctx.storage.sql.exec<{ text: string }>("SELECT text FROM notes ORDER BY id")
      .toArray().map((row) => row.text);
  }

  /** Adds all texts or, when one of them is "fail", none. Returns nothing. */
  addAll(texts: string[]): void {
    this.ctx.storage.transactionSync(() => {
      for (const text of texts) {
        if (text === "fail") throw new RangeError(`Cannot add "${text}"`);
        this.add(text);
      }
    });
  }

  /** Adds `outer` and, in a nested transaction that fails, `inner`; returns what was added. */
  addNested(outer: string, inner: string): string[] {
    this.ctx.storage.transactionSync(() => {
      this.add(outer);
      try {
        this.addAll([inner, "fail"]);
      } catch {
        // The point of the call.
      }
    });
    return this.list();
  }

  /** How many calls ran while this one waited for a while. */
  async overlap(): Promise<number> {
    this.#running++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this.#running--;
  }

  echo(value: unknown): unknown {
    return value;
  }

  /** The rows of a query. */
  query(sql: string, ...bindings: (string | number | null)[]): unknown {
    return this.ctx.storage.sql.exec(sql, ...bindings).toArray();
  }

  /** The only row of a query. */
  one(sql: string): unknown {
    return this.ctx.storage.sql.exec(sql).one();
  }

  /** What a cursor gives, and what when it is read again. */
  cursor(): unknown {
    const cursor = this.ctx.storage.sql.exec("SELECT 1 AS n UNION SELECT 2 UNION SELECT 3");
    return [cursor.toArray(), cursor.toArray()];
  }

  throwText(): never {
    throw "only text";
  }

  throwOwn(): never {
    throw Object.assign(new OwnError("mine"), { code: 7 });
  }

  identity(): unknown {
    const id = String(this.ctx.id);
    return { name: this.ctx.id.name, hex: /^[0-9a-f]{64}$/.test(id) };
  }

  getAlarm(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }

  async setAlarm(time: number | Date): Promise<number | null> {
    await this.ctx.storage.setAlarm(time);
    return await this.ctx.storage.getAlarm();
  }

  async deleteAlarm(): Promise<number | null> {
    await this.ctx.storage.deleteAlarm();
    return await this.ctx.storage.getAlarm();
  }

  /** Sets the alarm in a transaction that fails; returns what remains of it. */
  async setAlarmInVain(time: number): Promise<number | null> {
    try {
      this.ctx.storage.transactionSync(() => {
        this.ctx.storage.setAlarm(time);
        throw new Error("no");
      });
    } catch {
      // The point of the call.
    }
    return await this.ctx.storage.getAlarm();
  }

  /** What the alarm handler is to do: so many times set itself again, and so many times fail. */
  planAlarms(plan: AlarmPlan): void {
    const { sql } = this.ctx.storage;
    sql.exec(
      "REPLACE INTO settings (name, value) VALUES ('failures', ?), ('again', ?), ('at', ?)",
      plan.failures,
      plan.again,
      plan.at,
    );
  }

  /** Notes how it was called, then does what is planned. */
  async alarm(info: AlarmInvocationInfo): Promise<void> {
    const { storage } = this.ctx;
    const due = await storage.getAlarm();
    const count = this.list().length;
    this.add(`alarm ${count}: due ${due}, retry ${info.isRetry ? info.retryCount : "no"}`);
    if (this.#take("again")) await storage.setAlarm(this.#setting("at"));
    if (this.#take("failures")) throw new Error("Alarm failed");
  }

  /** Opens a schema in the place of the tables that are there; returns the names of those that are there then. */
  async open(schema: string): Promise<unknown> {
    await this.ctx.storage.setAlarm(4e12);
    openSchema(this.ctx.storage, schema);
    const tables = this.ctx.storage.sql.exec(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name",
    ).toArray();
    return { tables, alarm: await this.ctx.storage.getAlarm() };
  }

  /** Empties the object; returns how many tables and alarms it has then. */
  async wipe(): Promise<unknown> {
    await this.ctx.storage.setAlarm(4e12);
    await this.ctx.storage.deleteAll();
    const tables = this.ctx.storage.sql.exec("SELECT count(*) AS n FROM sqlite_master").one();
    return { tables: tables.n, alarm: await this.ctx.storage.getAlarm() };
  }

  /** Deletes all. */
  async clear(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  /** Names of what the runtime offers, by where it is. */
  api(): Record<string, string[]> {
    const { storage } = this.ctx;
    return {
      ctx: members(this.ctx),
      storage: members(storage),
      sql: members(storage.sql),
      cursor: members(storage.sql.exec("SELECT 1")),
    };
  }

  #take(name: string): boolean {
    const left = this.#setting(name);
    if (left > 0) {
      this.ctx.storage.sql.exec("UPDATE settings SET value = ? WHERE name = ?", left - 1, name);
    }
    return left > 0;
  }

  #setting(name: string): number {
    const [row] = this.ctx.storage.sql.exec<{ value: number }>(
      "SELECT value FROM settings WHERE name = ?",
      name,
    ).toArray();
    return row?.value ?? 0;
  }
}

/** See {@linkcode ProbeObject.planAlarms}. */
export interface AlarmPlan {
  failures: number;
  again: number;
  /** When it sets itself again, in ms since the epoch. */
  at: number;
}

class OwnError extends Error {
  override name = "OwnError";
}

function members(value: object): string[] {
  const own = Object.getOwnPropertyNames(value);
  return [...own, ...Object.getOwnPropertyNames(Object.getPrototypeOf(value))].sort();
}
