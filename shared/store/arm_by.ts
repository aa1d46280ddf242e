/**
 * The alarm of an object, which there is one of.
 *
 * @module
 */
import type { DurableObjectStorage } from "./embedded/types.ts";

/** Has it go off at this time, in ms since the epoch, or before; one that is set for later is of before the clock was set back. */
export async function armBy(storage: DurableObjectStorage, time: number): Promise<void> {
  const due = await storage.getAlarm();
  if (due === null || due > time) await storage.setAlarm(time);
}
