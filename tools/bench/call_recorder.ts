import { shutDown } from "../../shared/http/shut_down.ts";
import { gangOf } from "./load_client.ts";

/** A bind call as the scheduler saw it; times are of `performance.now()`. */
export interface BindCall {
  gang: string;
  openedAt: number;
  /** When it was answered or dropped; absent while it is open. */
  closedAt?: number;
}

/** A proxy between the scheduler and Muster's extender that notes when bind calls are open: that long their room is taken. */
export class CallRecorder {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly #target: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #http = Deno.createHttpClient({ poolMaxIdlePerHost: 1024 });
  #calls: BindCall[] = [];

  /** Passes everything on to the origin of `target`. */
  constructor(target: string) {
    this.#target = target;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#pass(request),
    );
    this.url = `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The bind calls since this was last asked. */
  take(): BindCall[] {
    const calls = this.#calls;
    this.#calls = [];
    return calls;
  }

  async stop(): Promise<void> {
    await shutDown(this.#server);
    this.#http.close();
  }

  async #pass(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const body = await request.text();
    const call = pathname.endsWith("/bind") ? this.#open(body) : undefined;
    try {
      const response = await fetch(this.#target + pathname, {
        method: request.method,
        headers: { "content-type": "application/json" },
        body,
        client: this.#http,
        signal: request.signal,
      });
      // The scheduler reads only answers that tell their length.
      return new Response(await response.bytes(), { status: response.status });
    } catch (error) {
      // The scheduler is gone, or Muster is.
      return new Response((error as Error).message, { status: 502 });
    } finally {
      if (call) call.closedAt = performance.now();
    }
  }

  #open(body: string): BindCall {
    const call: BindCall = {
      gang: gangOf(JSON.parse(body).PodName),
      openedAt: performance.now(),
    };
    this.#calls.push(call);
    return call;
  }
}
