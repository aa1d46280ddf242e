/**
 * What the variables of a host say: the policy's settings, who may call, and how much is logged.
 *
 * @module
 */
import { settingsFrom, type Variables } from "../contract/settings.ts";
import type { Settings } from "../core/gang/settings.ts";
import type { Bindings } from "../store/embedded/bindings.ts";
import { type Access, accessFrom } from "./access.ts";
import { type LogLevel, logLevels } from "./log.ts";

/** The variables of a host, read. */
export interface Configuration {
  readonly settings: Settings;
  readonly access: Access;
  readonly logLevel: LogLevel;
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
  const logLevel = orNote(() => logLevelFrom(variables), wrong);
  if (!settings || !access || !logLevel) throw new ConfigurationError(wrong.join("\n"));
  return { settings, access, logLevel };
}

function logLevelFrom({ MUSTER_LOG_LEVEL: text }: Variables): LogLevel {
  const level = logLevels.find((level) => level === (text || "info"));
  if (level) return level;
  throw new RangeError(
    `Cannot read MUSTER_LOG_LEVEL: it must be one of ${
      logLevels.join(", ")
    }: current value is "${text}"`,
  );
}

// A host gives other bindings with each request, but the same namespaces.
const known = new WeakMap<Bindings["GANGS"], Configuration>();

/** The configuration of a host, read once. */
export function configurationOf(bindings: Bindings): Configuration {
  const configuration = known.get(bindings.GANGS) ??
    configurationFrom({ ...bindings });
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
