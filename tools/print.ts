/** Writes one line to standard output. */
export function print(line: string): void {
  // deno-lint-ignore no-console -- the one place where the tools speak
  console.log(line);
}
