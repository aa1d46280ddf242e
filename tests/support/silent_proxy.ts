/** Stands before a server and carries its connections, until those that are open fall silent: nobody is told. */
export class SilentProxy implements AsyncDisposable {
  readonly port: number;
  /** How many connections it has carried. */
  count = 0;
  readonly #listener: Deno.TcpListener;
  readonly #running: Promise<void>;
  readonly #end = new AbortController();
  #silentUntil = 0;

  /** `target` is a port of 127.0.0.1. */
  constructor(target: number) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#running = this.#run(target);
  }

  /** What is sent over the connections of now arrives nowhere any more; later ones are as usual. */
  silence(): void {
    this.#silentUntil = this.count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.#end.abort();
    await this.#running;
  }

  async #run(target: number): Promise<void> {
    const carried: Promise<void>[] = [];
    for await (const near of this.#listener) {
      const number = ++this.count;
      const far = await Deno.connect({ hostname: "127.0.0.1", port: target });
      carried.push(this.#carry(number, near, far), this.#carry(number, far, near));
    }
    await Promise.all(carried);
  }

  #carry(number: number, from: Deno.Conn, to: Deno.Conn): Promise<void> {
    const unlessSilent = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        if (number > this.#silentUntil) controller.enqueue(bytes);
      },
    });
    return from.readable.pipeThrough(unlessSilent).pipeTo(to.writable, { signal: this.#end.signal })
      .catch(() => {/* Whoever closed it knows why. */});
  }
}
