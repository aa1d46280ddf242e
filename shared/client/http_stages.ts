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
import { CallRefused } from "../contract/call_refused.ts";
import { admissionIn, decisionIn, keysIn } from "../contract/answers.ts";
import type { Fetch } from "./fetch.ts";
import { pause } from "./pause.ts";
import { mayPass, retryAfterMs } from "./retry_after.ts";
import { textWithin } from "./text_within.ts";

/** Gives the bearer token for the next call. */
export type TokenSource = () => Promise<string>;

const timeoutMs = 5000;
const longestSaid = 500;
/** In bytes: UIDs of 10,000 members fit several times. */
const longestAnswer = 4 * 1024 * 1024;

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
    prefilter: (json, id) => read(client.prefilter.$post({ json }, about(id)), admissionIn),
    permit: (json, id) => read(client.permit.$post({ json }, about(id)), decisionIn),
    postfilter: (json, id) => read(client.postfilter.$post({ json }, about(id)), decisionIn),
    unreserve: (json, id) => read(client.unreserve.$post({ json }, about(id)), decisionIn),
    queueSort: (json, id) => read(client["queue-sort"].$post({ json }, about(id)), keysIn),
  };
}

function about(requestId: string): { headers: Record<string, string> } {
  return { headers: { "x-request-id": requestId, ...trace(requestId) } };
}

/** What hono's client resolves to, as far as it is used. */
type Answered = Pick<Response, "status" | "headers" | "ok"> & { readonly body: unknown };

/** Whoever answers may be anybody: what he says is read to a limit, and taken where it follows the contract. */
async function read<Answer>(
  call: Promise<Answered>,
  answerIn: (value: unknown) => Answer,
): Promise<Answer> {
  const response = await call;
  const text = await textWithin({ body: response.body as Response["body"] }, longestAnswer);
  if (text === undefined) throw new Error(`The answer is over ${longestAnswer} bytes`);
  if (response.ok) return answerOf(text, answerIn);
  const message = `HTTP ${response.status}: ${saidIn(text)}`;
  if (isRefusal(response)) throw new AbortError(new CallRefused(message));
  const error = new Error(message);
  const waitMs = retryAfterMs(response.headers);
  if (waitMs === undefined) throw mayPass(response.status) ? error : new AbortError(error);
  // Whoever is overloaded is not asked the same again: when the time is over, the facts may be others.
  await pause(waitMs);
  throw new AbortError(error);
}

function answerOf<Answer>(text: string, answerIn: (value: unknown) => Answer): Answer {
  try {
    return answerIn(JSON.parse(text));
  } catch (error) {
    throw new Error(`The answer can not be taken: ${(error as Error).message}`);
  }
}

/** The functions say so by a problem; of anybody on the way to them it is said of every call. */
function isRefusal({ status, headers }: Answered): boolean {
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
    const said = detail === undefined ? title : `${title}: ${detail}`;
    if (typeof title === "string") return said.slice(0, longestSaid);
  } catch {
    // It is shown as it is.
  }
  return text.slice(0, longestSaid);
}
