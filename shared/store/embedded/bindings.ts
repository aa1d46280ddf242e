import type { GangObject } from "../gang_object.ts";
import type { IndexObject } from "../index_object.ts";
import { EmbeddedHost, type EmbeddedHostOptions } from "./host.ts";
import type { DurableObjectNamespace } from "./types.ts";

/** What the functions find in `c.env`, on every runtime. */
export interface Bindings {
  /** One object per gang group. */
  readonly GANGS: DurableObjectNamespace<GangObject>;
  /** One object per cluster. */
  readonly INDEX: DurableObjectNamespace<IndexObject>;
  /** Settings, from the environment or wrangler.toml. */
  readonly [name: `MUSTER_${string}`]: string | undefined;
}

/** {@linkcode Bindings} over the embedded store. */
export interface EmbeddedBindings extends Bindings {
  /** Waits for the calls that run and closes the store. */
  close(): Promise<void>;
}

/** Options of {@linkcode embeddedBindings}: those of the host, and the settings. */
export interface EmbeddedBindingsOptions extends EmbeddedHostOptions {
  /** Variables whose names begin with MUSTER_. */
  vars?: Record<string, string>;
}

/** Opens the embedded store in `options.dir` and gives the bindings that the functions need. */
export function embeddedBindings(options: EmbeddedBindingsOptions): EmbeddedBindings {
  const { vars, ...hostOptions } = options;
  const host = new EmbeddedHost(hostOptions);
  const env: Record<`MUSTER_${string}`, string | undefined> = { ...vars };
  // The classes extend DurableObject of workers.ts, which needs this module: hence loaded when first called.
  return Object.assign(env, {
    GANGS: host.namespace<GangObject>(
      { load: async () => (await import("../gang_object.ts")).GangObject },
      { className: "GangObject", env, kept: "values" },
    ),
    INDEX: host.namespace<IndexObject>(
      { load: async () => (await import("../index_object.ts")).IndexObject },
      { className: "IndexObject", env },
    ),
    close: () => host.close(),
  });
}
