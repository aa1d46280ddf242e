import { untilReady } from "../../../tools/control_plane/readiness.ts";

/** Longer than the wait of 60 s after which a round ends in any case; the machine is shared with whatever else runs on it. */
export const patienceMs = 90_000;

/** Asks again and again until `ask` neither throws nor answers false: for what only asking tells. An error says why not. */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const signal = new AbortController().signal;
  await untilReady(ask, { what, signal, timeoutMs: patienceMs });
}
