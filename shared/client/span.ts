/**
 * OpenTelemetry spans; nothing is kept of them unless `OTEL_DENO=true`.
 *
 * @module
 */
import { type Attributes, SpanStatusCode, trace } from "@opentelemetry/api";

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
