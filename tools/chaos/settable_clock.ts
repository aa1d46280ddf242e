/** What a program of Deno is started with. */
export interface SettableClock {
  readonly denoArgs: string[];
  readonly env: Record<string, string>;
}

const clockModule = new URL("clock.ts", import.meta.url).pathname;

/** A clock that is as far from the machine's as a file says, in ms; none at first. */
export async function settableClock(file: string): Promise<SettableClock> {
  await Deno.writeTextFile(file, "0");
  return { denoArgs: [`--preload=${clockModule}`], env: { MUSTER_CHAOS_CLOCK: file } };
}
