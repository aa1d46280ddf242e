/**
 * Waits for time, or for no longer than a time.
 *
 * @module
 */

/** Resolves after so many ms. */
export async function pause(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when something has come to its end, or after so many ms. */
export async function within(ms: number, ending: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  await Promise.race([ending, late.promise]);
  clearTimeout(timer);
}
