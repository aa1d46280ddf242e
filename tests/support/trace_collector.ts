/** A span, as OTLP's JSON has it, as far as tests read it. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Empty, absent or all zeros for the first of a trace. */
  parentSpanId?: string;
  name: string;
  attributes?: { key: string; value: { stringValue?: string } }[];
}

interface ExportRequest {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** Takes what processes export by OTLP over HTTP. */
export class TraceCollector implements AsyncDisposable {
  /** All spans so far. */
  readonly spans: Span[] = [];
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => this.#take(request),
  );

  /** The variables that make a Deno process export here. */
  get variables(): Record<string, string> {
    return {
      OTEL_DENO: "true",
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${this.#server.addr.port}`,
    };
  }

  /** The names of a span and of those that it is part of, the outermost first. */
  pathOf(span: Span): string[] {
    const parent = this.spans.find(({ spanId, traceId }) =>
      spanId === span.parentSpanId && traceId === span.traceId
    );
    return [...(parent ? this.pathOf(parent) : []), span.name];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #take(request: Request): Promise<Response> {
    const body = await request.json();
    if (new URL(request.url).pathname === "/v1/traces") {
      const { resourceSpans } = body as ExportRequest;
      const scopes = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
      this.spans.push(...scopes.flatMap(({ spans }) => spans));
    }
    return Response.json({});
  }
}
