import type { ObjectAlarm } from "./alarms.ts";
import { isDamage, type SqliteFile } from "./sqlite_file.ts";
import { EmbeddedState } from "./state.ts";
import { EmbeddedStorage } from "./storage.ts";
import type { DurableObjectClass, DurableObjectId } from "./types.ts";

/** What new objects of a class begin with: the file of the first of them, as the constructor left it. */
export interface FileTemplate {
  content?: Uint8Array | undefined;
}

/** What a {@linkcode HostedObject} is made of. */
export interface HostedObjectOptions {
  id: DurableObjectId;
  file: SqliteFile;
  template: FileTemplate;
  alarm: ObjectAlarm;
  /** Gives the class; asked before each construction. */
  load: () => Promise<DurableObjectClass<object>>;
  /** The object's bindings. */
  env: unknown;
  /** Called before the file is opened; throws when it may not be. */
  beforeOpen: () => void;
  /** Told when the file was found to be gone. */
  onError: (error: Error) => void;
}

/** One durable object: its file, its instance while there is one, and the queue of what it has to do. */
export class HostedObject {
  #options: HostedObjectOptions;
  #instance: object | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: HostedObjectOptions) {
    this.#options = options;
  }

  /** Whether nothing runs or waits. */
  get idle(): boolean {
    return this.#waiting === 0;
  }

  /** Whether it has deleted all that it kept, besides: a new one is as good. */
  get isSpent(): boolean {
    return this.idle && this.#options.file.isRemoved;
  }

  /** Runs `job` on the instance after all earlier jobs have settled. */
  async run<T>(job: (instance: object) => Promise<T> | T): Promise<T> {
    this.#waiting++;
    const result = this.#last.then(() => this.#runAndHeal(job));
    this.#last = result.then(ignore, ignore);
    try {
      return await result;
    } finally {
      this.#waiting--;
    }
  }

  /** Forgets the instance and closes the file; the next job begins with a new instance. */
  drop(): void {
    this.#instance = undefined;
    this.#options.file.close();
  }

  /** Settles when every job has. */
  async drained(): Promise<void> {
    while (!this.idle) await this.#last;
  }

  async #runAndHeal<T>(job: (instance: object) => Promise<T> | T): Promise<T> {
    const { file, onError } = this.#options;
    if (file.moved()) {
      const { path } = file;
      onError(new Error(`Store file "${path}" was deleted or replaced: its object is begun anew`));
      this.drop();
    }
    try {
      return await job(this.#instance ?? await this.#construct());
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.drop();
      file.removeDamaged(error);
      return await job(await this.#construct());
    }
  }

  async #construct(): Promise<object> {
    const { id, file, template, alarm, load, env, beforeOpen } = this.#options;
    beforeOpen();
    const Class = await load();
    const isNew = file.begin(template.content);
    const storage = new EmbeddedStorage(file, { alarm, canWake: "alarm" in Class.prototype });
    const state = new EmbeddedState(id, storage);
    const instance = new Class(state, env);
    await state.unblocked();
    if (isNew) template.content ??= file.content();
    this.#instance = instance;
    return instance;
  }
}

function ignore(): void {}
