import { sleep } from "./sleep.ts";
/** A TCP connection that a {@linkcode Link} carries. */
interface Carried {
  readonly near: Deno.TcpConn;
  readonly far: Deno.TcpConn;
  /** What is sent arrives nowhere any more. */
  isSilent: boolean;
}

/** Stands before a server and carries its connections, until somebody cuts, delays or silences them. */
export class Link implements AsyncDisposable {
  readonly port: number;
  /** How many connections it has carried. */
  count = 0;
  /** What is sent arrives so many milliseconds later. */
  delayMs = 0;
  /** No more connections are carried: those that come are closed. */
  isCut = false;
  /** All that is sent over connections of now and of later arrives nowhere any more. */
  isSilent = false;
  readonly #listener: Deno.TcpListener;
  readonly #running: Promise<void>;
  readonly #open = new Set<Carried>();

  /** `target` is a port of 127.0.0.1. */
  constructor(target: number) {
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#running = this.#run(target);
  }

  /** How many connections are open now. */
  get open(): number {
    return this.#open.size;
  }

  /** What is sent over the connections of now arrives nowhere any more, and nobody is told; later ones are as usual. */
  silence(): void {
    for (const carried of this.#open) carried.isSilent = true;
  }

  /** Closes the connections of now, on both sides. */
  cut(): void {
    for (const carried of this.#open) close(carried);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.cut();
    await this.#running;
  }

  async #run(target: number): Promise<void> {
    const carrying: Set<Promise<void>> = new Set();
    for await (const near of this.#listener) {
      const carried = this.#carry(near, target).finally(() => carrying.delete(carried));
      carrying.add(carried);
    }
    await Promise.all(carrying);
  }

  async #carry(near: Deno.TcpConn, target: number): Promise<void> {
    const far = this.isCut
      ? undefined
      : await Deno.connect({ hostname: "127.0.0.1", port: target }).catch(() => undefined);
    if (far === undefined) return near.close();
    near.setNoDelay();
    far.setNoDelay();
    const carried: Carried = { near, far, isSilent: false };
    this.count++;
    this.#open.add(carried);
    await Promise.all([
      this.#copy(carried, { from: near, to: far }),
      this.#copy(carried, { from: far, to: near }),
    ]);
    close(carried);
    this.#open.delete(carried);
  }

  /** Whichever side ends first ends both. */
  async #copy(carried: Carried, { from, to }: { from: Deno.TcpConn; to: Deno.TcpConn }) {
    const bytes = new Uint8Array(64 * 1024);
    try {
      for (let read = await from.read(bytes); read !== null; read = await from.read(bytes)) {
        carried.isSilent ||= this.isSilent;
        if (carried.isSilent) continue;
        if (this.delayMs > 0) await sleep(this.delayMs);
        for (let sent = 0; sent < read;) sent += await to.write(bytes.subarray(sent, read));
      }
    } catch {
      // Whoever closed it knows why.
    }
    close(carried);
  }
}

function close({ near, far }: Carried): void {
  for (const side of [near, far]) {
    try {
      side.close();
    } catch {
      // It is closed already.
    }
  }
}
