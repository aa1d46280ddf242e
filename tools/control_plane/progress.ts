const intervalMs = 5_000;

/** Describes every few seconds what is being waited for, with the seconds so far, until it is over. */
export async function reportWhile<T>(
  work: Promise<T>,
  options: { describe: () => string | Promise<string>; onProgress: (line: string) => void },
): Promise<T> {
  const started = Date.now();
  const timer = setInterval(async () => {
    const seconds = Math.round((Date.now() - started) / 1000);
    options.onProgress(`${await options.describe()} (${seconds} s)`);
  }, intervalMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
