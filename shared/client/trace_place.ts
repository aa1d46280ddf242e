/**
 * Where in an OpenTelemetry trace something belongs.
 *
 * @module
 */
import { type Context, context } from "@opentelemetry/api";

/** The place now: what the scheduler's call began, inside of its handler. */
export function placeNow(): Context {
  return context.active();
}

/** Runs what a call of the scheduler waits for as a part of that call's trace, whatever set it off. */
export function inTrace<T>(place: Context | undefined, run: () => T): T {
  return place ? context.with(place, run) : run();
}
