/**
 * The types of a stage's Hono context.
 *
 * @module
 */
import type { ExecutionContext } from "hono";
import type { Settings } from "../core/gang/settings.ts";
import type { Bindings } from "../store/embedded/bindings.ts";
import type { Problem } from "./problem.ts";
import type { Scope } from "./token_table.ts";

/** What a host gives with a request, beside its bindings; a Worker has none of it. */
export interface Origin {
  /** Who sent it, as `Deno.serve` tells. */
  readonly remoteAddr?: { readonly hostname?: string };
}

/** What a stage answers with, whether the call came over HTTP or from this process: a part of a Hono context. */
export interface StageCall {
  readonly var: Pick<StageEnv["Variables"], "cluster" | "settings" | "store">;
  /** A Worker's; elsewhere reading it throws. */
  readonly executionCtx: Pick<ExecutionContext, "waitUntil">;
}

/** What middleware and routes share. */
export interface StageEnv {
  Bindings: Bindings & Origin;
  Variables: {
    /** The cluster that speaks: the UID of its namespace kube-system, or `default`. */
    cluster: string;
    /** What the caller may do. */
    scope: Scope;
    settings: Settings;
    store: Bindings;
    requestId: string;
    /** What the answer says is wrong. */
    problem?: Problem;
  };
}
