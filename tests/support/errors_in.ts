/** What a command ended with on standard error, without what it logged, as of variables that only tests read. */
export function errorsIn(stderr: string): string[] {
  return stderr.trim().split("\n").filter((line) => !line.startsWith("{"));
}
