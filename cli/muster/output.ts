/**
 * What a command prints: text for people, or JSON or YAML for programs.
 *
 * @module
 */
import { stringify } from "yaml";
import { print } from "../print.ts";

/** `-o`. */
export type Format = "json" | "yaml";

/** What is printed in a format, or the text where none is asked for. */
interface Said {
  readonly data: unknown;
  readonly text: string;
}

/** Prints `data` in a format, or the text where none is asked for. */
export function output(format: Format | undefined, said: Said): void {
  print(textIn(format, said));
}

/**
 * Prints one of many; documents of YAML are separated.
 *
 * @throws {Deno.errors.BrokenPipe} where nobody reads any more.
 */
export function outputNext(format: Format | undefined, said: Said): void {
  const start = format === "yaml" ? "---\n" : "";
  Deno.stdout.writeSync(new TextEncoder().encode(`${start}${textIn(format, said)}\n`));
}

function textIn(format: Format | undefined, { data, text }: Said): string {
  if (format === "json") return JSON.stringify(data, null, 2);
  return format === "yaml" ? stringify(data).trimEnd() : text;
}
