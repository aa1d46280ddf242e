/**
 * What the variables of a host say: the policy's settings, and who may call.
 *
 * @module
 */
import { settingsFrom, type Variables } from "../contract/settings.ts";
import type { Settings } from "../core/settings.ts";
import type { Bindings } from "../store/embedded/bindings.ts";
import { type Access, accessFrom } from "./access.ts";

/** The variables of a host, read. */
export interface Configuration {
  readonly settings: Settings;
  readonly access: Access;
}

/** The variables of a host can not be used; the message names everything that is wrong and quotes no secret. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

/**
 * Reads all variables.
 *
 * @throws {ConfigurationError} that names everything that is wrong at once.
 */
export function configurationFrom(variables: Variables): Configuration {
  const wrong: string[] = [];
  const settings = orNote(() => settingsFrom(variables), wrong);
  const access = orNote(() => accessFrom(variables), wrong);
  if (!settings || !access) throw new ConfigurationError(wrong.join("\n"));
  return { settings, access };
}

// A host gives other bindings with each request, but the same namespaces.
const known = new WeakMap<Bindings["GANGS"], Configuration>();

/** The configuration of a host, read once. */
export function configurationOf(bindings: Bindings): Configuration {
  const configuration = known.get(bindings.GANGS) ??
    configurationFrom(bindings as unknown as Variables);
  known.set(bindings.GANGS, configuration);
  return configuration;
}

function orNote<T>(read: () => T, wrong: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    wrong.push(error.message);
    return undefined;
  }
}
