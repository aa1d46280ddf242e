/** What a process prints until it matches; the rest is read and dropped. */
export interface Printed {
  output: string;
  /** Resolves when all that prints there has ended. */
  rest: Promise<void>;
}

/** Reads the output of a process until it matches. */
export async function untilPrinted(
  stdout: ReadableStream<Uint8Array>,
  pattern: RegExp,
): Promise<Printed> {
  const lines = stdout.pipeThrough(new TextDecoderStream());
  let output = "";
  for await (const chunk of lines.values({ preventCancel: true })) {
    output += chunk;
    if (pattern.test(output)) break;
  }
  const rest = lines.pipeTo(new WritableStream());
  if (pattern.test(output)) return { output, rest };
  throw new Error(`Waited in vain for ${pattern}: it ended, and has printed "${output}"`);
}
