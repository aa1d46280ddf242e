/**
 * Structural types of durable objects, as far as Muster uses them: the same on workerd and on the embedded host.
 *
 * @module
 */

/** A value of a column of a row, and what may be bound to a `?` of a statement. */
export type SqlValue = string | number | null | ArrayBuffer;

/** A row, by column name; of two columns of one name the last one counts. */
export type SqlRow = Record<string, SqlValue>;

/** The rows of one statement; reading consumes them. */
export interface SqlCursor<Row extends SqlRow = SqlRow> {
  /** All remaining rows. */
  toArray(): Row[];
  /** The only remaining row; throws when there is none or more than one. */
  one(): Row;
}

/** The SQL database of one object. */
export interface SqlStorage {
  /** Runs one statement or several; only the last one may have bindings, and its rows are returned. */
  exec<Row extends SqlRow = SqlRow>(query: string, ...bindings: SqlValue[]): SqlCursor<Row>;
}

/** Values of one object by key: what structuredClone copies, each of 2 MB at most. */
export interface KvStorage {
  /** A copy of the value; undefined: there is none. */
  get<T = unknown>(key: string): T | undefined;
  /** Keeps a copy of a value in the place of the one before. */
  put(key: string, value: unknown): void;
  /** Tells whether there was one. */
  delete(key: string): boolean;
}

/** The durable storage of one object. */
export interface DurableObjectStorage {
  /** The object's database. */
  readonly sql: SqlStorage;
  /** The object's values. */
  readonly kv: KvStorage;
  /** Runs `body`, which is synchronous, in a transaction that an exception rolls back; may be nested. */
  transactionSync<T>(body: () => T): T;
  /** When the alarm is due in ms since the epoch, or null; null while its handler runs, unless that set a new one. */
  getAlarm(): Promise<number | null>;
  /** Sets the object's only alarm, in ms since the epoch. A time that is past fires at once. */
  setAlarm(time: number | Date): Promise<void>;
  /** Takes the alarm back. */
  deleteAlarm(): Promise<void>;
  /** Empties the object: its database and its alarm. */
  deleteAll(): Promise<void>;
}

/** Identity of an object. */
export interface DurableObjectId {
  /** The name it was made from. */
  readonly name?: string;
  /** Whether both name the same object. */
  equals(other: DurableObjectId): boolean;
  /** 64 hex digits; they differ between runtimes. */
  toString(): string;
}

/** What the runtime hands to the constructor of an object. */
export interface DurableObjectState {
  /** The object's identity. */
  readonly id: DurableObjectId;
  /** The object's storage. */
  readonly storage: DurableObjectStorage;
  /** Delivers no call until `body` has settled; when it throws, the object is constructed anew for the next call. */
  blockConcurrencyWhile<T>(body: () => Promise<T>): Promise<T>;
}

/** Told to an alarm handler: whether an alarm that threw is tried again, and for the how manyth time. */
export interface AlarmInvocationInfo {
  readonly isRetry: boolean;
  readonly retryCount: number;
}

type Reserved = "alarm" | "fetch" | "constructor";

type MethodName<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? Exclude<K, Reserved> : never;
}[keyof T];

/** The methods of class `T` as a caller in another place sees them: all of them async. */
export type DurableObjectStub<T extends object> = {
  [K in MethodName<T>]: T[K] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** All objects of one class. */
export interface DurableObjectNamespace<T extends object> {
  /** The stub of the object of that name. */
  getByName(name: string): DurableObjectStub<T>;
  /** The identity of the object of that name. */
  idFromName(name: string): DurableObjectId;
  /** The stub of an object. */
  get(id: DurableObjectId): DurableObjectStub<T>;
}

/** A class whose instances are durable objects. */
// deno-lint-ignore no-explicit-any -- a class decides itself which bindings it needs
export type DurableObjectClass<T extends object> = new (ctx: DurableObjectState, env: any) => T;
