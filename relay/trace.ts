/**
 * OpenTelemetry spans; nothing is kept of them unless `OTEL_DENO=true`.
 *
 * @module
 */
import { type Attributes, type Context, context, SpanStatusCode, trace } from "@opentelemetry/api";

/** Where in a trace something began. */
export type TracePlace = Context;

/** The place now: what the scheduler's call began, inside of its handler. */
export function placeNow(): TracePlace {
  return context.active();
}

/** Runs what a call of the scheduler waits for as a part of that call's trace, whatever set it off. */
export function inTrace<T>(place: TracePlace | undefined, run: () => T): T {
  return place ? context.with(place, run) : run();
}

/** Runs as a span, which an error marks. */
export function inSpan<T>(
  { name, attributes }: { name: string; attributes: Attributes },
  run: () => Promise<T>,
): Promise<T> {
  return trace.getTracer("muster").startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  });
}
