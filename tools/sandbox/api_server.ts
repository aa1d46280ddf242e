import { shutDown } from "../../shared/http/shut_down.ts";
import { Api, type ApiOptions, type AuditEntry } from "./api.ts";
import { ApiError } from "./api_error.ts";
import { parseJson } from "./api_request.ts";
import { openWatch, type Watch } from "./watch_stream.ts";

/** An in-memory stand-in for kube-apiserver over plain HTTP on 127.0.0.1. */
export class ApiServer {
  readonly api: Api;
  /** A fault to inject: an answer it returns is sent instead of the server's own. */
  intercept:
    | ((request: Request) => Response | undefined | Promise<Response | undefined>)
    | undefined;
  #watches = new Set<Watch>();
  #stopping = false;
  #listener: Deno.HttpServer<Deno.NetAddr>;

  /** Starts to listen on a free port. */
  constructor(options: ApiOptions = {}) {
    this.api = new Api(options);
    this.#listener = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  /** Its objects. */
  get store(): Api["store"] {
    return this.api.store;
  }

  /** Every answered request, oldest first. */
  get audit(): AuditEntry[] {
    return this.api.audit;
  }

  /** Base URL, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  /** How many requests of this verb (see `AuditEntry`) were answered, for one resource or all. */
  count(verb: string, resource?: string): number {
    return this.audit.filter((entry) =>
      entry.verb === verb && (resource === undefined || entry.resource === resource)
    ).length;
  }

  /** Ends all open watches: normally, or in the middle of the connection. */
  dropWatches(options: { broken: boolean } = { broken: false }): void {
    for (const watch of [...this.#watches]) watch.end(options);
  }

  /** Ends all watches and stops listening. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.dropWatches();
    await shutDown(this.#listener);
  }

  async #answer(request: Request): Promise<Response> {
    const { method } = request;
    const { pathname: path, searchParams: query } = new URL(request.url);
    let response: Response;
    try {
      const injected = await this.intercept?.(request.clone());
      if (!injected) return await this.#carryOut(request, { path, query });
      response = injected;
    } catch (error) {
      response = (error instanceof ApiError ? error : new ApiError(500, String(error)))
        .toResponse();
    }
    const verb = method.toLowerCase();
    this.audit.push({ verb, method, path, resource: "", code: response.status });
    return response;
  }

  async #carryOut(
    request: Request,
    { path, query }: { path: string; query: URLSearchParams },
  ): Promise<Response> {
    const { method, headers } = request;
    if (["/healthz", "/livez", "/readyz"].includes(path)) return new Response("ok");
    const text = await request.text();
    const { code, body, watch } = this.api.answer({
      method,
      path,
      query,
      contentType: headers.get("content-type") ?? "",
      ...(text !== "" && { body: parseJson(text) }),
    });
    if (!watch) return Response.json(body, { status: code });
    // A client that opens its watch again must not keep the server from ending.
    if (this.#stopping) throw new ApiError(503, "The API server is shutting down");
    const opened = openWatch(watch, (ended) => this.#watches.delete(ended));
    this.#watches.add(opened);
    return opened.response;
  }
}
