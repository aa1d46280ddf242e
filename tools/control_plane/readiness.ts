import { sleep } from "../sleep.ts";
/** How often a server that is starting is asked; it has no other way to tell that it is ready. */
const intervalMs = 50;

/**
 * Asks again and again until `ask` neither throws nor answers false, or nobody waits any more. The error after `timeoutMs`
 * says why not, where the last `ask` threw.
 */
export async function untilReady(
  ask: () => Promise<boolean>,
  options: { what: string; signal: AbortSignal; timeoutMs?: number },
): Promise<void> {
  const timeoutMs = options.timeoutMs ?? 60_000;
  const deadline = Date.now() + timeoutMs;
  while (!options.signal.aborted) {
    let cause: unknown;
    try {
      if (await ask()) return;
    } catch (error) {
      cause = error;
    }
    if (Date.now() > deadline) {
      const why = cause instanceof Error ? `: ${cause.message}` : "";
      throw new Error(`${options.what} is not ready after ${timeoutMs} ms${why}`, { cause });
    }
    await sleep(intervalMs);
  }
}

/** Whether a health path answers 200; the body is drained. */
export async function answersOk(url: string, client?: Deno.HttpClient): Promise<boolean> {
  const response = await fetch(url, {
    ...(client === undefined ? {} : { client }),
    signal: AbortSignal.timeout(5_000),
  });
  await response.body?.cancel();
  return response.ok;
}

/** The certificate of the private CA that signed a certificate which a Kubernetes server made for itself: the second of its file. */
export async function readCa(certificateFile: string): Promise<string> {
  const text = await Deno.readTextFile(certificateFile);
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g);
  const ca = certificates?.[1];
  if (ca === undefined) throw new Error(`Cannot find the CA's certificate in "${certificateFile}"`);
  return ca;
}
