/**
 * What Muster decides while the tests of a file run, kept for the tests that decide it again (tests/core/record).
 *
 * @module
 */
import { join } from "node:path";
import type { MusterOptions } from "../../../tools/control_plane/muster.ts";

/** The folder of recordings; absent: none are made. */
const folder = Deno.env.get("MUSTER_RECORDINGS");
/** Of one recording, before it is compressed: what comes later shows little that is new. */
const mostLength = 512 * 1024;

/** The same options, with a recording in `dir` if recordings are asked for. */
export function recordedIn(dir: string, options: MusterOptions = {}): MusterOptions {
  if (folder === undefined) return options;
  return { ...options, extraArgs: [...options.extraArgs ?? [], `--record=${fileIn(dir)}`] };
}

/** Keeps the recording in `dir` under the name of the test file that runs, if it was asked for. */
export async function keepRecording(dir: string): Promise<void> {
  if (folder === undefined) return;
  const text = await Deno.readTextFile(fileIn(dir));
  const end = text.lastIndexOf("\n", mostLength) + 1;
  const zipped = new Blob([text.slice(0, end)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  await Deno.mkdir(folder, { recursive: true });
  const name = Deno.mainModule.split("/").slice(-2).join("_").replace(
    /_test\.ts$/,
    ".recording.gz",
  );
  await Deno.writeFile(join(folder, name), zipped);
}

function fileIn(dir: string): string {
  return join(dir, "muster.recording");
}
