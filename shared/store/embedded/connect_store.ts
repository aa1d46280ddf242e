import { connect, type Socket } from "node:net";
import type { EmbeddedBindings } from "./bindings.ts";
import { receiveLines, sendLine, type StoreAnswer, type StoreCall } from "./socket_lines.ts";

/** How long an answer may take. */
const answerWithinMs = 10_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * The bindings of a process whose store is another one, which shares it through a socket. A call fails when that process ends
 * before it has answered, or is not there; the next call looks for it again.
 */
export function connectStore(path: string, vars: Record<string, string>): EmbeddedBindings {
  const store = new RemoteStore(path);
  const namespace = (binding: StoreCall["binding"]) => ({
    getByName: (name: string) =>
      new Proxy({}, {
        get: (_, method) =>
          // A stub must not look like a promise to whoever awaits it.
          typeof method === "symbol" || method === "then"
            ? undefined
            : (...args: unknown[]) => store.call({ binding, name, method, args }),
      }),
  });
  return {
    ...vars,
    GANGS: namespace("GANGS"),
    INDEX: namespace("INDEX"),
    close: () => store.close(),
  } as unknown as EmbeddedBindings;
}

/** One connection, for as long as it lasts, and the calls that wait for their answers. */
class RemoteStore {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Socket | undefined;
  #calls = 0;

  constructor(path: string) {
    this.#path = path;
  }

  call(call: Omit<StoreCall, "id">): Promise<unknown> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle({ id, error: this.#silence() }), answerWithinMs);
      this.#waiting.set(id, { resolve, reject, timer });
      sendLine(this.#socket ??= this.#connect(), { id, ...call });
    });
  }

  close(): Promise<void> {
    this.#socket?.destroy();
    return Promise.resolve();
  }

  #connect(): Socket {
    const socket = connect(this.#path);
    receiveLines(socket, (answer) => this.#settle(answer as StoreAnswer));
    // "close" follows, and says it to those that wait.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#socket = undefined;
      for (const id of [...this.#waiting.keys()]) this.#settle({ id, error: this.#silence() });
    });
    return socket;
  }

  #settle({ id, value, error }: StoreAnswer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(error));
  }

  #silence(): string {
    return `The store behind "${this.#path}" does not answer: start functions/serve_store.ts on its folder`;
  }
}
