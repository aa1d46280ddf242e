/**
 * Values of flags that several commands take.
 *
 * @module
 */
import { InvalidArgumentError } from "commander";

/**
 * The URL of a server, without a slash at its end.
 *
 * @throws {InvalidArgumentError} that commander shows with the flag.
 */
export function parseUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text.replace(/\/$/, "");
  throw new InvalidArgumentError(`"${text}" is not an http or https URL`);
}

/**
 * A time in seconds, with or without a fraction.
 *
 * @throws {InvalidArgumentError} that commander shows with the flag.
 */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && Number.isFinite(seconds)) return seconds;
  throw new InvalidArgumentError(`"${text}" is not a number of seconds above 0`);
}

/**
 * Names of schedulers, separated by commas.
 *
 * @throws {InvalidArgumentError} that commander shows with the flag.
 */
export function parseSchedulerNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => /^\S+$/.test(name))) return names;
  throw new InvalidArgumentError(`"${text}" is not one name or several, as "muster,volcano"`);
}
