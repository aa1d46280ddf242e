/**
 * The types of a stage's Hono context.
 *
 * @module
 */
import type { Settings } from "../core/settings.ts";
import type { Bindings } from "../store/embedded/bindings.ts";
import type { Problem } from "./problem.ts";

/** What a host gives with a request, beside its bindings; a Worker has none of it. */
export interface Origin {
  /** Who sent it, as `Deno.serve` tells. */
  readonly remoteAddr?: { readonly hostname?: string };
  /** It never was on a network: the caller is this process. */
  readonly isInProcess?: true;
}

/** What middleware and routes share. */
export interface StageEnv {
  Bindings: Bindings & Origin;
  Variables: {
    /** The cluster that speaks: the UID of its namespace kube-system, or `default`. */
    cluster: string;
    settings: Settings;
    store: Bindings;
    requestId: string;
    /** What the answer says is wrong. */
    problem?: Problem;
  };
}
