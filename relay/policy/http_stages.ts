/**
 * The stage functions over HTTP.
 *
 * @module
 */
import { hc } from "hono/client";
import process from "node:process";
import { AbortError } from "p-retry";
import type { AppType } from "../../functions/policy.ts";
import type { Stages } from "../../functions/stages.ts";
import { CallRefused } from "../../shared/contract/call_refused.ts";
import type { QueueSortAnswer } from "../../shared/contract/types.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import type { Fetch } from "../kube/fetch.ts";
import type { TokenSource } from "./token_file.ts";

const timeoutMs = 5000;
/** Whatever `retry-after` says, a group waits no longer. */
const longestWaitMs = 10_000;

/** Typed calls for a cluster. */
export function stagesOverHttp(
  url: string,
  options: { cluster: string; fetch: Fetch; token?: TokenSource | undefined },
): Stages {
  const { cluster, token } = options;
  const client = hc<AppType>(url, {
    headers: async () => ({
      "x-muster-cluster": cluster,
      ...(token && { authorization: `Bearer ${await token()}` }),
    }),
    fetch: (input: RequestInfo | URL, init?: RequestInit) =>
      options.fetch(String(input), { ...init, signal: AbortSignal.timeout(timeoutMs) }),
  }).v1;
  return {
    prefilter: async (json, id) =>
      await read<Admission>(client.prefilter.$post({ json }, about(id))),
    permit: async (json, id) => await read<Decision>(client.permit.$post({ json }, about(id))),
    postfilter: async (json, id) =>
      await read<Decision>(client.postfilter.$post({ json }, about(id))),
    unreserve: async (json, id) =>
      await read<Decision>(client.unreserve.$post({ json }, about(id))),
    queueSort: async (json, id) =>
      await read<QueueSortAnswer>(client["queue-sort"].$post({ json }, about(id))),
  };
}

function about(requestId: string): { headers: Record<string, string> } {
  return { headers: { "x-request-id": requestId, ...trace(requestId) } };
}

type Failed = Pick<Response, "status" | "headers" | "text"> & { readonly ok: false };

/** What hono's client resolves to, as far as it is used. */
type Answered<Answer> = { readonly ok: true; json(): Promise<Answer> } | Failed;

async function read<Answer>(call: Promise<Answered<Answer>>): Promise<Answer> {
  const response = await call;
  if (response.ok) return await response.json();
  const message = `HTTP ${response.status}: ${saidIn(await response.text())}`;
  if (isRefusal(response)) throw new AbortError(new CallRefused(message));
  const error = new Error(message);
  const waitMs = retryAfterMs(response);
  if (waitMs === undefined) {
    throw response.status < 500 && response.status !== 429 ? new AbortError(error) : error;
  }
  // Whoever is overloaded is not asked the same again: when the time is over, the facts may be others.
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  throw new AbortError(error);
}

/** The functions say so by a problem; of anybody on the way to them it is said of every call. */
function isRefusal({ status, headers }: Failed): boolean {
  return [400, 413].includes(status) &&
    headers.get("content-type")?.startsWith("application/problem+json") === true;
}

/** W3C Trace Context: the request id is the trace's too, so that one of them finds all. */
function trace(requestId: string): Record<string, string> {
  // Deno then sends its own beside it, and nobody can read two.
  if (process.env["OTEL_DENO"] === "true") return {};
  const id = requestId.replaceAll("-", "");
  return { traceparent: `00-${id}-${id.slice(16)}-01` };
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
function retryAfterMs({ headers }: Failed): number | undefined {
  const text = headers.get("retry-after") ?? "";
  if (!/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text) * 1000, longestWaitMs) * (1 + Math.random() / 4);
}
