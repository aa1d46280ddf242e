import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { Alarms, alarmsSetup, type Clock, keyText, type ObjectKey, systemClock } from "./alarms.ts";
import { removeFormerFiles } from "./former_files.ts";
import { HostedObject } from "./hosted_object.ts";
import type { Keeping, Kept } from "./keeping.ts";
import { EmbeddedNamespace } from "./namespace.ts";
import { EmbeddedId } from "./object_id.ts";
import { type FileTemplate, OwnTables } from "./own_tables.ts";
import { OwnValues, type ValuesFile, valuesSetup } from "./own_values.ts";
import { privateFile, privateFolder } from "./private_files.ts";
import { EmbeddedSql } from "./sql.ts";
import { isSqliteError, SqliteFile } from "./sqlite_file.ts";
import type { AlarmInvocationInfo, DurableObjectClass, DurableObjectNamespace } from "./types.ts";

/** Options of {@linkcode EmbeddedHost}. */
export interface EmbeddedHostOptions {
  /** Folder of the store; made when absent. One process at a time may use it. */
  dir: string;
  /** Told what the host got over, but somebody should know: a damaged file, an alarm given up. Default: a line on stderr. */
  onError?: (error: Error) => void;
  /** Told what the host did that is no fault. Default: a line on stderr. */
  onNote?: (note: string) => void;
  /** Default: the machine's. */
  clock?: Clock;
  /**
   * Objects kept in memory; the longest idle ones beyond it are closed, as Cloudflare evicts them. Default 2048: one that keeps
   * tables has two files, and to close them waits for the disk.
   */
  maxOpen?: number;
}

/** Options of {@linkcode EmbeddedHost.namespace}. */
export interface NamespaceOptions {
  /** Name of the class; also of its folder. */
  className: string;
  /** Given to every object as its bindings. */
  env: unknown;
  /** Default: tables. Many small objects keep values: they have no files of their own. */
  kept?: Kept;
}

/** A class, or how to get it. */
export type ClassSource<T extends object> =
  | DurableObjectClass<T>
  | { load: () => Promise<DurableObjectClass<T>> };

/** A class that the host keeps objects of. */
interface Hosted {
  load: () => Promise<DurableObjectClass<object>>;
  env: unknown;
  template: FileTemplate;
  /** Where its objects keep values. */
  values: ValuesFile | undefined;
}

/** Name of the file with the alarms in the folder of the store. */
const alarmsFile = "alarms.sqlite";
/** Name of the file with the values of all objects of a class in the folder of the class. */
const valuesFile = "values.sqlite";
/** Name of the file that says which process has the store; for error messages only. */
const ownerFile = "owner";

/**
 * Runs durable objects in this process, over SQLite files: `<dir>/<className>/<id>.sqlite` with the tables of one, or
 * `<dir>/<className>/values.sqlite` with the values of all.
 * What it does otherwise than Cloudflare's runtime is listed in docs/embedded_store.md.
 */
export class EmbeddedHost {
  #dir: string;
  #onError: (error: Error) => void;
  #onNote: (note: string) => void;
  #maxOpen: number;
  #alarms: Alarms;
  #classes = new Map<string, Hosted>();
  /** Objects in memory, the longest unused first. */
  #objects = new Map<string, HostedObject>();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: EmbeddedHostOptions) {
    this.#dir = options.dir;
    this.#onError = options.onError ?? (({ message }) => sayOnStderr(message));
    this.#onNote = options.onNote ?? sayOnStderr;
    this.#maxOpen = options.maxOpen ?? 2048;
    this.#alarms = this.#takeFolder(options.clock ?? systemClock);
  }

  /** The objects of a class. Their alarms fire from now on, overdue ones at once. */
  namespace<T extends object>(
    source: ClassSource<T>,
    options: NamespaceOptions,
  ): DurableObjectNamespace<T> {
    const { className, env, kept = "tables" } = options;
    if (!/^\w+$/.test(className)) {
      throw new TypeError(
        `Cannot host class "${className}": its name must consist of letters, digits and _`,
      );
    }
    if (this.#classes.has(className)) {
      throw new Error(`Cannot host class "${className}" twice: keep its namespace`);
    }
    // deno-lint-ignore require-await -- a class that is at hand takes the place of one that is loaded
    const load = typeof source === "function" ? async () => source : source.load;
    const values = kept === "values" ? this.#valuesFile(className) : undefined;
    this.#classes.set(className, { load, env, template: {}, values });
    this.#alarms.enable(className);
    return new EmbeddedNamespace<T>({
      className,
      run: (name, job) => this.#run({ className, name }, job),
    });
  }

  /** Waits for the calls that run and for what they call next, takes no more, and gives the folder back. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const alarmsDone = this.#alarms.stop();
    await this.#drained();
    // Who got the last answer calls now: a gang that is gone is still to be told to the index.
    await setImmediate();
    this.#isClosed = true;
    await this.#drained();
    await alarmsDone;
    for (const object of this.#objects.values()) object.drop();
    for (const { values } of this.#classes.values()) values?.file.close();
    this.#objects.clear();
    rmSync(join(this.#dir, ownerFile), { force: true });
    this.#alarms.close();
  }

  async #drained(): Promise<void> {
    await Promise.all([...this.#objects.values()].map((object) => object.drained()));
  }

  #takeFolder(clock: Clock): Alarms {
    if (!this.#makeFolder()) {
      this.#onError(
        new Error(
          `Store folder "${this.#dir}" is open to others than its owner, who alone can close it: run chmod 700 on it`,
        ),
      );
    }
    const owner = join(this.#dir, ownerFile);
    const file = this.#file(alarmsFile, alarmsSetup);
    try {
      const alarms = new Alarms({
        file,
        clock,
        fire: (key, info) => this.#fire(key, info),
        onError: this.#onError,
      });
      privateFile(owner);
      writeFileSync(owner, `${process.pid}\n`);
      return alarms;
    } catch (error) {
      if (!isSqliteError(error) || !/locked/.test(error.message)) throw error;
      throw new Error(
        `Store folder "${this.#dir}" is in use by ${
          holder(owner)
        }: stop it or choose another folder`,
        { cause: error },
      );
    }
  }

  /** Whether nobody else can read it. */
  #makeFolder(): boolean {
    try {
      return privateFolder(this.#dir);
    } catch (error) {
      throw new Error(
        `Cannot use store folder "${this.#dir}": ${
          (error as Error).message
        }: choose another folder`,
        { cause: error },
      );
    }
  }

  #file(name: string, setup?: string): SqliteFile {
    return new SqliteFile(join(this.#dir, name), {
      onError: this.#onError,
      ...(setup === undefined ? {} : { setup }),
    });
  }

  #valuesFile(className: string): ValuesFile {
    const folder = join(this.#dir, className);
    const former = removeFormerFiles(folder);
    if (former > 0) {
      this.#onNote(
        `Store folder "${folder}" had files of ${former} objects as an earlier version kept them: they were removed, as nobody reads them`,
      );
    }
    const file = this.#file(join(className, valuesFile), valuesSetup);
    return { file, sql: new EmbeddedSql(file) };
  }

  async #run<T>(key: ObjectKey, job: (instance: object) => Promise<T> | T): Promise<T> {
    if (this.#isClosed) throw new Error(`Cannot call "${key.name}": the store is closed`);
    const object = this.#object(key);
    try {
      return await object.run(job);
    } finally {
      // It would take the place of one that is of use.
      if (object.isSpent && this.#objects.get(keyText(key)) === object) {
        this.#objects.delete(keyText(key));
      }
    }
  }

  #object(key: ObjectKey): HostedObject {
    const text = keyText(key);
    const object = this.#objects.get(text) ?? this.#construct(key);
    this.#objects.delete(text);
    this.#objects.set(text, object);
    if (this.#objects.size > this.#maxOpen) this.#evict(object);
    return object;
  }

  #construct(key: ObjectKey): HostedObject {
    const { className, name } = key;
    const hosted = this.#classes.get(className);
    if (hosted === undefined) throw new Error(`No class "${className}" is hosted`);
    const id = new EmbeddedId(className, name);
    return new HostedObject({
      id,
      keeping: this.#keepingOf(id, { className, hosted }),
      alarm: {
        get: () => this.#alarms.get(key),
        put: (due) => this.#alarms.put(key, due),
      },
      load: hosted.load,
      env: hosted.env,
      beforeOpen: () => this.#alarms.own(),
    });
  }

  #keepingOf(
    id: EmbeddedId,
    { className, hosted }: { className: string; hosted: Hosted },
  ): Keeping {
    if (hosted.values) return new OwnValues(hosted.values, String(id));
    return new OwnTables(this.#file(join(className, `${id}.sqlite`)), hosted.template);
  }

  #evict(except: HostedObject): void {
    for (const [text, object] of this.#objects) {
      if (this.#objects.size <= this.#maxOpen) return;
      if (object === except || !object.isIdle) continue;
      object.drop();
      this.#objects.delete(text);
    }
  }

  #fire(key: ObjectKey, info: AlarmInvocationInfo): Promise<void> {
    return this.#run(key, async (instance) => {
      await (instance as WithAlarm).alarm(info);
    });
  }
}

interface WithAlarm {
  alarm(info: AlarmInvocationInfo): Promise<void> | void;
}

function holder(path: string): string {
  try {
    return `process ${readFileSync(path, "utf8").trim()}`;
  } catch {
    return "another process";
  }
}

function sayOnStderr(text: string): void {
  process.stderr.write(`${text}\n`);
}
