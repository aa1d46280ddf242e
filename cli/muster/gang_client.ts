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

/** Reads gangs. Every error is a {@linkcode Failure}. */
export class GangClient {
  readonly #options: GangClientOptions;

  constructor(options: GangClientOptions) {
    this.#options = options;
  }

  /** All gangs of a namespace, or of the cluster; `signal` gives up. */
  async list(namespace?: string, signal?: AbortSignal): Promise<GangSummary[]> {
    const gangs: GangSummary[] = [];
    let next: string | undefined;
    do {
      const query = next === undefined ? "" : `?continue=${encodeURIComponent(next)}`;
      const page = await this.#get<{ gangs: GangSummary[]; continue?: string }>(
        `/v1/gangs${query}`,
        signal,
      );
      gangs.push(...page.gangs);
      next = page.continue;
    } while (next !== undefined);
    return gangs.filter((gang) => namespace === undefined || gang.namespace === namespace);
  }

  /** Gangs that ran, the last one first. */
  async runs(): Promise<Run[]> {
    const runs: Run[] = [];
    let next: string | undefined;
    do {
      const query = next === undefined ? "" : `?continue=${encodeURIComponent(next)}`;
      const page = await this.#get<RunList>(`/v1/runs${query}`);
      runs.push(...page.runs);
      next = page.continue;
    } while (next !== undefined);
    return runs;
  }

  /** One gang. */
  detail(namespace: string, name: string): Promise<GangDetail> {
    return this.#get(`/v1/gangs/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);
  }

  async #get<T>(path: string, signal?: AbortSignal): Promise<T> {
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
    const { response, text } = await fetch(url.replace(/\/$/, "") + path, init)
      .then(async (response) => ({ response, text: await response.text() }))
      .catch((error) => {
        throw new Unreachable(url, error);
      });
    if (response.ok) return parse(text, url) as T;
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

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`What answers at "${url}" is not Muster: is --url right?`);
  }
}

function problemOf(text: string): string | undefined {
  try {
    const { detail, title } = JSON.parse(text);
    return detail ?? title;
  } catch {
    return undefined;
  }
}
