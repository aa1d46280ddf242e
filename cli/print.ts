/** Writes one line to standard output. */
export function print(line: string): void {
  // deno-lint-ignore no-console -- the one place where commands and tools speak
  console.log(line);
}
