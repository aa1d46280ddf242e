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

/** The lines of a file, which may be compressed as `.gz`; one that is not whole is a gap, as the last one is after a crash. */
export async function readRecording(path: string): Promise<ReadLine[]> {
  const texts = (await textOf(path)).split("\n");
  return texts.flatMap((text, index) =>
    text === "" ? [] : [{ line: parsed(text), where: `${path}:${index + 1}` }]
  );
}

async function textOf(path: string): Promise<string> {
  const { readable } = await Deno.open(path);
  if (!path.endsWith(".gz")) return await new Response(readable).text();
  return await new Response(readable.pipeThrough(new DecompressionStream("gzip"))).text();
}

function parsed(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { missed: 1 };
  }
}
