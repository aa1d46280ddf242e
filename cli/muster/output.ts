/**
 * What a command prints: text for people, or JSON or YAML for programs.
 *
 * @module
 */
import { stringify } from "yaml";
import { print } from "../print.ts";

/** `-o`. */
export type Format = "json" | "yaml";

/** Prints `data` in a format, or the text where none is asked for. */
export function output(
  format: Format | undefined,
  { data, text }: { data: unknown; text: string },
): void {
  if (format === "json") print(JSON.stringify(data, null, 2));
  else if (format === "yaml") print(stringify(data).trimEnd());
  else print(text);
}
