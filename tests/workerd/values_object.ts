import { DurableObject } from "../../shared/store/platform.ts";

/** A durable object for tests that keeps values. */
export class ValuesObject extends DurableObject {
  #calls = 0;

  /** Calls since the object was constructed. */
  calls(): number {
    return ++this.#calls;
  }

  get(key: string): unknown {
    return this.ctx.storage.kv.get(key);
  }

  put(key: string, value: unknown): void {
    this.ctx.storage.kv.put(key, value);
  }

  delete(key: string): boolean {
    return this.ctx.storage.kv.delete(key);
  }

  /** Puts a value that changes afterwards; returns what is kept. */
  putAndChange(key: string): unknown {
    const value = { list: [1] };
    this.ctx.storage.kv.put(key, value);
    value.list.push(2);
    this.ctx.storage.kv.get<typeof value>(key)!.list.push(3);
    return this.get(key);
  }

  /** Puts all of these or, when one of them is "fail", none; with an alarm. */
  putAll(keys: string[]): void {
    this.ctx.storage.transactionSync(() => {
      this.ctx.storage.setAlarm(4e12);
      for (const key of keys) {
        if (key === "fail") throw new RangeError(`Cannot put "${key}"`);
        this.put(key, key);
      }
    });
  }

  getAlarm(): Promise<number | null> {
    return this.ctx.storage.getAlarm();
  }

  /** Empties the object; returns the alarm that it has then. */
  async wipe(): Promise<number | null> {
    await this.ctx.storage.setAlarm(4e12);
    await this.ctx.storage.deleteAll();
    return await this.ctx.storage.getAlarm();
  }

  alarm(): void {}

  /** Names of what the runtime offers for values. */
  api(): string[] {
    return Object.getOwnPropertyNames(Object.getPrototypeOf(this.ctx.storage.kv)).sort();
  }
}
