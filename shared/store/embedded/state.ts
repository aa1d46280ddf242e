import { type Gaps, refuse } from "./refuse.ts";
import type { DurableObjectId, DurableObjectState, DurableObjectStorage } from "./types.ts";

/** `ctx`, what the host hands to the constructor of an object. */
export class EmbeddedState implements DurableObjectState {
  readonly id: DurableObjectId;
  readonly storage: DurableObjectStorage;
  #blocks: Promise<unknown>[] = [];

  constructor(id: DurableObjectId, storage: DurableObjectStorage) {
    this.id = id;
    this.storage = storage;
  }

  blockConcurrencyWhile<T>(body: () => Promise<T>): Promise<T> {
    const block = (async () => await body())();
    this.#blocks.push(block);
    // The host reports a failure through unblocked(); a caller that does not wait must not end the process.
    block.catch(() => {});
    return block;
  }

  /** Settles when every block begun so far has; rejects with the first failure. */
  async unblocked(): Promise<void> {
    while (this.#blocks.length > 0) await Promise.all(this.#blocks.splice(0));
  }
}

const useCalls = "objects of the embedded store answer calls only";
const gaps: Gaps = {
  waitUntil: "await the work before the method returns",
  abort: "throw from the method",
  container: "objects of the embedded store have no container",
  exports: "use the bindings in env",
  facets: "give every object a name of its own",
  props: "use the bindings in env",
  acceptWebSocket: useCalls,
  getWebSockets: useCalls,
  setWebSocketAutoResponse: useCalls,
  getWebSocketAutoResponse: useCalls,
  getWebSocketAutoResponseTimestamp: useCalls,
  setHibernatableWebSocketEventTimeout: useCalls,
  getHibernatableWebSocketEventTimeout: useCalls,
  getTags: useCalls,
};

refuse(EmbeddedState.prototype, { prefix: "ctx.", gaps });
