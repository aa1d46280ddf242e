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

const WEB_SOCKET = "objects of the embedded store answer calls only";
const GAPS: Gaps = {
  waitUntil: "await the work before the method returns",
  abort: "throw from the method",
  container: "objects of the embedded store have no container",
  exports: "use the bindings in env",
  facets: "give every object a name of its own",
  props: "use the bindings in env",
  acceptWebSocket: WEB_SOCKET,
  getWebSockets: WEB_SOCKET,
  setWebSocketAutoResponse: WEB_SOCKET,
  getWebSocketAutoResponse: WEB_SOCKET,
  getWebSocketAutoResponseTimestamp: WEB_SOCKET,
  setHibernatableWebSocketEventTimeout: WEB_SOCKET,
  getHibernatableWebSocketEventTimeout: WEB_SOCKET,
  getTags: WEB_SOCKET,
};

refuse(EmbeddedState.prototype, { prefix: "ctx.", gaps: GAPS });
