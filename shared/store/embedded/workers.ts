/** Takes the place of the module "cloudflare:workers" under Deno, by way of the import map. */
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type EmbeddedBindings, embeddedBindings } from "./bindings.ts";
import type { DurableObjectState } from "./types.ts";

/** What every durable object extends. */
export class DurableObject<Env = unknown> {
  protected ctx: DurableObjectState;
  protected env: Env;

  constructor(ctx: DurableObjectState, env: Env) {
    this.ctx = ctx;
    this.env = env;
  }
}

let bindings: EmbeddedBindings | undefined;

/**
 * The bindings of a function that runs alone (`deno serve functions/permit.ts`): the store in the folder that MUSTER_STORE
 * names, or in the user's cache, and every other MUSTER_* variable. Opened when first touched.
 */
export const env: EmbeddedBindings = new Proxy({} as EmbeddedBindings, {
  get: (_, name) => Reflect.get(opened(), name),
  has: (_, name) => Reflect.has(opened(), name),
  ownKeys: () => Reflect.ownKeys(opened()),
  getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(opened(), name),
});

function opened(): EmbeddedBindings {
  return bindings ??= fromEnvironment();
}

function fromEnvironment(): EmbeddedBindings {
  const { MUSTER_STORE, ...vars } = process.env;
  return embeddedBindings({ dir: MUSTER_STORE ?? defaultFolder(), vars: musterOnly(vars) });
}

function defaultFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "muster", "store");
}

function musterOnly(vars: Record<string, string | undefined>): Record<string, string> {
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(vars)) {
    if (name.startsWith("MUSTER_") && value !== undefined) own[name] = value;
  }
  return own;
}
