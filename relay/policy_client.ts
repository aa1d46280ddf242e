/**
 * The stage functions, as the relay calls them.
 *
 * @module
 */
import { hc } from "hono/client";
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
import type { Ahead, Fit, Group, Loss, MemberFailure } from "../shared/core/facts.ts";
import { retry } from "./retry.ts";

/** `fetch`, to wherever the functions are. */
export type PolicyFetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

const timeoutMs = 5000;

/** Typed calls of the functions; a call that got no answer is repeated as it was, so that it gets the same one. */
export class PolicyClient {
  /** Where the functions are, for messages. */
  readonly url: string;
  readonly #client: ReturnType<typeof hc<AppType>>;

  constructor(url: string, options: { cluster: string; fetch: PolicyFetch }) {
    this.url = url;
    this.#client = hc<AppType>(url, {
      headers: { "x-muster-cluster": options.cluster },
      fetch: (input: RequestInfo | URL, init?: RequestInit) =>
        options.fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    });
  }

  prefilter(
    request: Group & { readonly fit?: Fit; readonly ahead?: Ahead },
  ): Promise<Admission> {
    return ask(() => this.#client.v1.prefilter.$post({ json: request as PrefilterRequest }));
  }

  permit(request: Group): Promise<Decision> {
    return ask(() => this.#client.v1.permit.$post({ json: request as PermitRequest }));
  }

  postfilter(request: Group & { readonly failed: readonly MemberFailure[] }): Promise<Decision> {
    return ask(() => this.#client.v1.postfilter.$post({ json: request as PostfilterRequest }));
  }

  unreserve(request: Group & { readonly lost: readonly Loss[] }): Promise<Decision> {
    return ask(() => this.#client.v1.unreserve.$post({ json: request as UnreserveRequest }));
  }

  async queueSort(units: QueueSortRequest["units"]): Promise<Map<string, string>> {
    const answer = await ask<{ keys: { id: string; key: string }[] }>(
      () => this.#client.v1["queue-sort"].$post({ json: { units } }),
    );
    return new Map(answer.keys.map(({ id, key }) => [id, key]));
  }
}

/** What hono's client resolves to, as far as it is used. */
type Answered = Pick<Response, "ok" | "status" | "json" | "text">;

async function ask<Answer>(call: () => Promise<Answered>): Promise<Answer> {
  return await retry(async () => {
    const response = await call();
    if (response.ok) return await response.json() as Answer;
    const error = new Error(`HTTP ${response.status}: ${(await response.text()).slice(0, 500)}`);
    throw response.status < 500 && response.status !== 429 ? new AbortError(error) : error;
  }, { retries: 2, maxTimeout: 500 });
}
