/** Writes one line to standard output. */
export function print(line: string): void {
  // deno-lint-ignore no-console -- the one place where commands and tools speak
  console.log(line);
}

/** Writes one line to standard error. */
export function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}
