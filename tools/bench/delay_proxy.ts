import { shutDown } from "../../shared/http/shut_down.ts";
import { sleep } from "../sleep.ts";

/** Stands before a server and lets every request wait, as a distance would. */
export class DelayProxy {
  /** Added to every call, in ms. */
  delayMs = 0;
  /** Without a slash at its end. */
  readonly url: string;
  readonly #target: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(target: string) {
    this.#target = target;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#forward(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Answers what it has taken, and no more. */
  async stop(): Promise<void> {
    await shutDown(this.#server);
  }

  async #forward(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = await request.arrayBuffer();
    if (this.delayMs > 0) await sleep(this.delayMs);
    const answer = await fetch(this.#target + pathname + search, {
      method: request.method,
      headers: request.headers,
      ...(body.byteLength > 0 && { body }),
    });
    return new Response(await answer.arrayBuffer(), answer);
  }
}
