/**
 * Ends what somebody may keep from ending.
 *
 * @module
 */

/** Answers that are on their way are written in much less; who reads none of his, or watches, is not waited for. */
const withinMs = 3000;

/**
 * Stops servers: they take no more calls, and finish those that they answer. What somebody still keeps after a moment ends
 * with the process.
 */
export async function shutDown(
  ...servers: readonly { shutdown(): Promise<void> }[]
): Promise<void> {
  await inTime(Promise.all(servers.map((server) => server.shutdown())));
}

/** Resolves when something has ended, or after a moment. */
export async function inTime(ended: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  try {
    await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
