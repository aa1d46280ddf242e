/**
 * Where gangs are read: `GET /v1/gangs` of a relay or of functions at the edge.
 *
 * @module
 */
import type { GangDetail, GangSummary, Run, RunList } from "../../shared/contract/types.ts";
import { exitCodes, Failure } from "./failure.ts";

/** How to reach the functions. */
export interface GangClientOptions {
  readonly url: string;
  /** Bearer token, where the functions ask for one. */
  readonly token?: string | undefined;
  /** The cluster's name to the functions; absent: the one that the token, or the relay, speaks for. */
  readonly cluster?: string | undefined;
}

const timeoutMs = 15_000;

/** Nobody answers. */
export class Unreachable extends Failure {
  override name = "Unreachable";

  constructor(url: string, override readonly cause: Error) {
    super(`Cannot reach Muster at "${url}": ${cause.message}: is it running, and is --url right?`);
  }
}

interface GangPage {
  readonly gangs: readonly GangSummary[];
  readonly continue?: string;
}

/** Reads gangs. Every error is a {@linkcode Failure}. */
export class GangClient {
  readonly #options: GangClientOptions;

  constructor(options: GangClientOptions) {
    this.#options = options;
  }

  /** All gangs of a namespace, or of the cluster; `signal` gives up. */
  async list(namespace?: string, signal?: AbortSignal): Promise<GangSummary[]> {
    const gangs: GangSummary[] = [];
    const pages = this.#pages<GangPage>("/v1/gangs", { field: "gangs", signal });
    for await (const page of pages) gangs.push(...page.gangs);
    return gangs.filter((gang) => namespace === undefined || gang.namespace === namespace);
  }

  /** Gangs that ran, the last one first. */
  async runs(): Promise<Run[]> {
    const runs: Run[] = [];
    const pages = this.#pages<RunList>("/v1/runs", { field: "runs" });
    for await (const page of pages) runs.push(...page.runs);
    return runs;
  }

  async *#pages<Page extends { continue?: string | undefined }>(
    path: string,
    asked: { field: keyof Page & string; signal?: AbortSignal | undefined },
  ): AsyncIterable<Page> {
    for (let query = "";;) {
      const page: Page = await this.#get<Page>(path + query, asked);
      yield page;
      if (page.continue === undefined) return;
      query = `?continue=${encodeURIComponent(page.continue)}`;
    }
  }

  /** One gang. */
  detail(namespace: string, name: string): Promise<GangDetail> {
    const path = `/v1/gangs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
    return this.#get(path, { field: "members" });
  }

  /** What is answered, which has this field. */
  async #get<T>(
    path: string,
    { field, signal }: { field: keyof T & string; signal?: AbortSignal | undefined },
  ): Promise<T> {
    const { url, token, cluster } = this.#options;
    const late = AbortSignal.timeout(timeoutMs);
    const init = {
      headers: {
        accept: "application/json",
        ...(token && { authorization: `Bearer ${token}` }),
        ...(cluster && { "x-muster-cluster": cluster }),
      },
      signal: signal ? AbortSignal.any([signal, late]) : late,
    };
    const { response, text } = await fetch(url + path, init)
      .then(async (response) => ({ response, text: await response.text() }))
      .catch((error) => {
        throw new Unreachable(url, error);
      });
    if (response.ok) {
      const answer = parsed<T>(text);
      if (answer?.[field] !== undefined) return answer as T;
      throw new Failure(`What answers at "${url}" is not Muster: is --url right?`);
    }
    const detail = problemOf(text) ?? `HTTP ${response.status}`;
    if (response.status === 404 && path.startsWith("/v1/gangs/") && problemOf(text)) {
      throw new Failure(
        `${detail}; "kubectl muster list -A" shows those of all namespaces`,
        exitCodes.notFound,
      );
    }
    throw new Failure(`${refusals[response.status] ?? "Cannot read gangs"} at "${url}": ${detail}`);
  }
}

const refusals: Record<number, string> = {
  401: "The token is missing or wrong (give --token-file)",
  403: "Muster refuses this caller",
  404: "The functions are not here: where they run elsewhere, give --url. Cannot read gangs",
};

/** Whatever it is; undefined where it is no JSON. */
function parsed<T>(text: string): Partial<T> | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

function problemOf(text: string): string | undefined {
  const { detail, title } = parsed<{ detail: string; title: string }>(text) ?? {};
  return detail ?? title;
}
