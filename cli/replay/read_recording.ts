/**
 * Recordings, read from files that may break off anywhere.
 *
 * @module
 */
import type { Line } from "../../shared/core/record/recording.ts";

/** A line, and where it stands: `file:12`. */
export interface ReadLine {
  readonly line: Line;
  readonly where: string;
}

/**
 * The lines of a file, which may be compressed as `.gz`; one that is not whole is a gap, as the last one is after a crash.
 *
 * @throws {Error} where the file can not be read, or is no recording.
 */
export async function readRecording(path: string): Promise<ReadLine[]> {
  const texts = (await textOf(path)).split("\n");
  const lines = texts.flatMap((text, index) =>
    text === "" ? [] : [{ line: parsed(text), where: `${path}:${index + 1}` }]
  );
  if (lines[0] && "recording" in lines[0].line) return lines;
  throw new Error('its first line must be one that "--record" writes, {"recording":…}');
}

async function textOf(path: string): Promise<string> {
  const { readable } = await Deno.open(path);
  if (!path.endsWith(".gz")) return await new Response(readable).text();
  return await new Response(readable.pipeThrough(new DecompressionStream("gzip"))).text();
}

function parsed(text: string): Line {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === "object" && line) return line as Line;
  } catch {
    // Not whole.
  }
  return { missed: 1 };
}
