/**
 * The stage functions, as the relay calls them.
 *
 * @module
 */
import { hc } from "hono/client";
import process from "node:process";
import { AbortError } from "p-retry";
import type { AppType } from "../functions/policy.ts";
import type {
  PermitRequest,
  PostfilterRequest,
  PrefilterRequest,
  QueueSortRequest,
  UnreserveRequest,
} from "../shared/contract/types.ts";
import type { Admission, Decision } from "../shared/core/decision.ts";
import type {
  Ahead,
  Fit,
  Group,
  Loss,
  MemberFailure,
  ResourceAmounts,
} from "../shared/core/facts.ts";
import { retry } from "./retry.ts";
import { inSpan } from "./trace.ts";
import type { TokenSource } from "./token_file.ts";

/** `fetch`, to wherever the functions are. */
export type PolicyFetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

const timeoutMs = 5000;
/** Whatever `retry-after` says, a group waits no longer. */
const longestWaitMs = 10_000;

/** A call that got no answer. */
export class CallFailed extends Error {
  override name = "CallFailed";
  /** By which the functions' log knows it. */
  readonly requestId: string;

  constructor(error: Error, requestId: string) {
    super(error.message, { cause: error });
    this.requestId = requestId;
  }
}

/** An answer, and by which request id the functions' log knows its call. */
export type Asked<Answer> = Answer & { readonly requestId: string };

/** Typed calls of the functions; a call that got no answer is repeated as it was, so that it gets the same one. */
export class PolicyClient {
  /** Where the functions are, for messages. */
  readonly url: string;
  readonly #client: ReturnType<typeof hc<AppType>>;
  readonly #resources: (() => ResourceAmounts[] | undefined) | undefined;

  constructor(
    url: string,
    options: {
      cluster: string;
      fetch: PolicyFetch;
      token?: TokenSource | undefined;
      /** Gives what is to be told of the whole cluster with a group's facts, when it is time. */
      resources?: () => ResourceAmounts[] | undefined;
    },
  ) {
    const { cluster, token } = options;
    this.url = url;
    this.#resources = options.resources;
    this.#client = hc<AppType>(url, {
      headers: async () => ({
        "x-muster-cluster": cluster,
        ...(token && { authorization: `Bearer ${await token()}` }),
      }),
      fetch: (input: RequestInfo | URL, init?: RequestInit) =>
        options.fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    });
  }

  prefilter(
    request: Group & { readonly fit?: Fit; readonly ahead?: Ahead },
  ): Promise<Asked<Admission>> {
    const json = this.#toldWith(request) as PrefilterRequest;
    return ask(
      "prefilter",
      (headers) => this.#client.v1.prefilter.$post({ json }, { headers }),
    );
  }

  permit(request: Group): Promise<Asked<Decision>> {
    const json = this.#toldWith(request) as PermitRequest;
    return ask(
      "permit",
      (headers) => this.#client.v1.permit.$post({ json }, { headers }),
    );
  }

  postfilter(
    request: Group & { readonly failed: readonly MemberFailure[] },
  ): Promise<Asked<Decision>> {
    const json = this.#toldWith(request) as PostfilterRequest;
    return ask(
      "postfilter",
      (headers) => this.#client.v1.postfilter.$post({ json }, { headers }),
    );
  }

  unreserve(request: Group & { readonly lost: readonly Loss[] }): Promise<Asked<Decision>> {
    const json = this.#toldWith(request) as UnreserveRequest;
    return ask(
      "unreserve",
      (headers) => this.#client.v1.unreserve.$post({ json }, { headers }),
    );
  }

  /** The same for every attempt of a call. */
  #toldWith<Request extends Group>(request: Request): Request {
    const resources = this.#resources?.();
    return resources ? { ...request, resources } : request;
  }

  async queueSort(units: QueueSortRequest["units"]): Promise<Map<string, string>> {
    const answer = await ask<{ keys: { id: string; key: string }[] }>(
      "queue-sort",
      (headers) => this.#client.v1["queue-sort"].$post({ json: { units } }, { headers }),
    );
    return new Map(answer.keys.map(({ id, key }) => [id, key]));
  }
}

/** What hono's client resolves to, as far as it is used. */
type Answered = Pick<Response, "ok" | "status" | "headers" | "json" | "text">;

async function ask<Answer>(
  stage: string,
  call: (headers: Record<string, string>) => Promise<Answered>,
): Promise<Asked<Answer>> {
  const requestId = crypto.randomUUID();
  const headers = { "x-request-id": requestId, ...trace(requestId) };
  const attempt = async () => {
    const response = await call(headers);
    if (response.ok) return { ...await response.json() as Answer, requestId };
    const error = new Error(`HTTP ${response.status}: ${saidIn(await response.text())}`);
    const waitMs = retryAfterMs(response);
    if (waitMs === undefined) {
      throw response.status < 500 && response.status !== 429 ? new AbortError(error) : error;
    }
    // Whoever is overloaded is not asked the same again: when the time is over, the facts may be others.
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    throw new AbortError(error);
  };
  try {
    return await inSpan(
      { name: stage, attributes: { "muster.request_id": requestId } },
      () => retry(attempt, { retries: 2, maxTimeout: 500 }),
    );
  } catch (error) {
    throw new CallFailed(error as Error, requestId);
  }
}

/** W3C Trace Context: the request id is the trace's too, so that one of them finds all. */
function trace(requestId: string): Record<string, string> {
  // Deno then sends its own beside it, and nobody can read two.
  if (process.env["OTEL_DENO"] === "true") return {};
  const span = crypto.getRandomValues(new Uint8Array(8)).toHex();
  return { traceparent: `00-${requestId.replaceAll("-", "")}-${span}-01` };
}

/** What a problem says; of anything else its beginning. */
function saidIn(text: string): string {
  try {
    const { title, detail } = JSON.parse(text);
    if (typeof title === "string") return detail === undefined ? title : `${title}: ${detail}`;
  } catch {
    // It is shown as it is.
  }
  return text.slice(0, 500);
}

/** How long nothing should be asked, in ms; somewhat spread, so that not all groups come back at once. */
function retryAfterMs({ headers }: Answered): number | undefined {
  const text = headers.get("retry-after") ?? "";
  if (!/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text) * 1000, longestWaitMs) * (1 + Math.random() / 4);
}
