import type { ObjectAlarm } from "./alarms.ts";
import type { Keeping } from "./keeping.ts";
import { isDamage } from "./sqlite_file.ts";
import { EmbeddedState } from "./state.ts";
import { EmbeddedStorage } from "./storage.ts";
import type { DurableObjectClass, DurableObjectId } from "./types.ts";

/** What a {@linkcode HostedObject} is made of. */
export interface HostedObjectOptions {
  id: DurableObjectId;
  keeping: Keeping;
  alarm: ObjectAlarm;
  /** Gives the class; asked before each construction. */
  load: () => Promise<DurableObjectClass<object>>;
  /** The object's bindings. */
  env: unknown;
  /** Called before the file is opened; throws when it may not be. */
  beforeOpen: () => void;
}

/** One durable object: where it keeps what it stores, its instance while there is one, and the queue of what it has to do. */
export class HostedObject {
  #options: HostedObjectOptions;
  #instance: object | undefined;
  /** Of the file, when the instance was made. */
  #losses = 0;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: HostedObjectOptions) {
    this.#options = options;
  }

  /** Whether nothing runs or waits. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Whether it has deleted all that it kept, besides: a new one is as good. */
  get isSpent(): boolean {
    return this.isIdle && this.#options.keeping.isCleared;
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

  /** Forgets the instance and closes its file; the next job begins with a new instance. */
  drop(): void {
    this.#instance = undefined;
    this.#options.keeping.release();
  }

  /** Settles when every job has. */
  async drained(): Promise<void> {
    while (!this.isIdle) await this.#last;
  }

  async #runAndHeal<T>(job: (instance: object) => Promise<T> | T): Promise<T> {
    const { file } = this.#options.keeping;
    file.noticeLoss();
    if (file.losses !== this.#losses) this.#instance = undefined;
    try {
      return await job(this.#instance ?? await this.#construct());
    } catch (error) {
      if (!isDamage(error)) throw error;
      file.removeDamaged(error);
      return await job(await this.#construct());
    }
  }

  async #construct(): Promise<object> {
    const { id, keeping, alarm, load, env, beforeOpen } = this.#options;
    beforeOpen();
    const Class = await load();
    keeping.begin();
    this.#losses = keeping.file.losses;
    const storage = new EmbeddedStorage(keeping, { alarm, canWake: "alarm" in Class.prototype });
    const state = new EmbeddedState(id, storage);
    const instance = new Class(state, env);
    await state.unblocked();
    keeping.built();
    this.#instance = instance;
    return instance;
  }
}

function ignore(): void {}
