/** Resolves so many milliseconds from now, by whatever clock is installed. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
