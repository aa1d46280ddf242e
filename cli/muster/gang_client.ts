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

/** Reads gangs. Every error is a {@linkcode Failure}. */
export class GangClient {
  readonly #options: GangClientOptions;

  constructor(options: GangClientOptions) {
    this.#options = options;
  }

  /** All gangs of a namespace, or of the cluster. */
  async list(namespace?: string): Promise<GangSummary[]> {
    const gangs: GangSummary[] = [];
    let next: string | undefined;
    do {
      const query = next === undefined ? "" : `?continue=${encodeURIComponent(next)}`;
      const page = await this.#get<{ gangs: GangSummary[]; continue?: string }>(
        `/v1/gangs${query}`,
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

  async #get<T>(path: string): Promise<T> {
    const { url, token, cluster } = this.#options;
    const response = await fetch(url.replace(/\/$/, "") + path, {
      headers: {
        accept: "application/json",
        ...(token && { authorization: `Bearer ${token}` }),
        ...(cluster && { "x-muster-cluster": cluster }),
      },
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error) => {
      throw new Failure(
        `Cannot reach Muster at "${url}": ${error.message}: is it running, and is --url right?`,
      );
    });
    const text = await response.text();
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
