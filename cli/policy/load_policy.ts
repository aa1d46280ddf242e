/**
 * A policy in a file, asked in this process: to try it before it is live.
 *
 * @module
 */
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Fetch } from "../../shared/client/fetch.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import { type AnswerOf, callStage } from "./stage_call.ts";

/** A policy that can be asked. */
export interface LoadedPolicy {
  /** Whether it answers a stage. */
  readonly has: (stage: StageName) => boolean;
  /**
   * What it answers.
   *
   * @throws {Error} that names the stage, and why its answer can not be used.
   */
  readonly ask: <Stage extends StageName>(stage: Stage, body: unknown) => Promise<AnswerOf<Stage>>;
}

/** What a file must export. */
interface PolicyModule {
  readonly default?: { readonly fetch?: (request: Request) => Response | Promise<Response> };
}

/** The stages that are of use where nothing is held. */
const tried = ["queue-sort", "admit"] as const;
/** A policy in this process, which may ask others. */
const timeoutMs = 10_000;

/** Who asks. */
export interface LoadOptions {
  /** What the policy is told to be asked for; absent: it is not told. */
  readonly cluster?: string;
}

/**
 * Loads a module whose default export has a `fetch`, as `deno serve` and workerd take it.
 *
 * @throws {Error} where there is none, or it answers neither queue-sort nor admit.
 */
export async function loadPolicy(
  path: string,
  { cluster }: LoadOptions = {},
): Promise<LoadedPolicy> {
  const headers: Record<string, string> = cluster === undefined
    ? {}
    : { "x-muster-cluster": cluster };
  const module = await import(pathToFileURL(resolve(path)).href).catch((error) => {
    throw new Error(`Cannot load policy "${path}": ${error.message}`);
  }) as PolicyModule;
  const policy = module.default;
  if (typeof policy?.fetch !== "function") {
    throw new Error(`Cannot use policy "${path}": its default export must have a fetch function`);
  }
  const fetch: Fetch = async (url, init) => await policy.fetch!(new Request(url, init));
  const has = new Set<StageName>();
  for (const stage of tried) {
    const response = await fetch(`http://policy/v1/${stage}`, { method: "POST", body: "{}" });
    if (response.status !== 404) has.add(stage);
  }
  if (has.size === 0) {
    throw new Error(`Cannot use policy "${path}": it answers neither ${tried.join(" nor ")}`);
  }
  return {
    has: (stage) => has.has(stage),
    ask: async (stage, body) => {
      const address = { stage, url: "http://policy", timeoutMs };
      try {
        return await callStage(address, { body, fetch, headers });
      } catch (error) {
        throw new Error(`Policy "${path}" failed in ${stage}: ${(error as Error).message}`);
      }
    },
  };
}
