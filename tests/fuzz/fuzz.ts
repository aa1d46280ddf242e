/**
 * Tries a target with inputs of a grammar, and with those that once found a fault.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { assert } from "@std/assert";
import { inTime } from "./pace.ts";

/** What is tried. */
export interface Target<Input> {
  /** Of its corpus: `corpus/<name>-*.json`. */
  readonly name: string;
  /** Of all calls, so many are its own. */
  readonly share: number;
  readonly inputs: fc.Arbitrary<Input>;
  /** Throws where the target did not do what it should. */
  readonly call: (input: Input) => Promise<void>;
}

/** Calls of a test run, of all targets together. */
const usualCalls = 10_000;
/** No call may take longer, in ms. */
const longestMs = 1000;
/** After so many calls the event loop turns: where all that is awaited is at hand, no time would ever be over. */
const callsPerTurn = 50;
/** What a run may leave in memory, in bytes: a leak of a hundred bytes for each of a million calls shows. */
const mostLeft = 32 * 1024 * 1024;

const corpus = new URL("corpus/", import.meta.url);

/**
 * Makes the calls of a target: MUSTER_FUZZ of all targets together, default 10,000, from MUSTER_SEED on, without the first
 * MUSTER_FUZZ_FROM of them. What fails is made as small as it can be; MUSTER_FUZZ_KEEP=true adds it to the corpus, and says each
 * minute how far it is.
 */
export async function fuzz<Input>(target: Target<Input>): Promise<void> {
  const { name, share, inputs } = target;
  for (const input of await kept<Input>(name)) await tried(target, input);
  const calls = Number(Deno.env.get("MUSTER_FUZZ") ?? usualCalls);
  const from = Math.round(Number(Deno.env.get("MUSTER_FUZZ_FROM") ?? 0) * share);
  const to = Math.max(from + 1, Math.round(calls * share));
  const keeps = Deno.env.get("MUSTER_FUZZ_KEEP") === "true";
  const before = heapUsed();
  let made = from;
  using _telling = keeps ? everyMinute(() => tell(target, { made, to })) : undefined;
  const result = await fc.check(
    fc.asyncProperty(inputs, async (input) => {
      if (++made % callsPerTurn === 0) await new Promise((resolve) => setTimeout(resolve));
      await tried(target, input);
    }),
    { numRuns: to - from, path: `${from}`, seed: Number(Deno.env.get("MUSTER_SEED") ?? 1) },
  );
  // Without what was made to find a smaller one.
  if (keeps) tell(target, { made: from + result.numRuns, to });
  if (result.failed) {
    if (keeps && result.counterexample) await keep(name, result.counterexample[0]);
    throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
  }
  const left = heapUsed() - before;
  assert(left < mostLeft, `${to - from} calls of "${name}" left ${Math.round(left / 1e6)} MB`);
}

function tried<Input>({ call }: Target<Input>, input: Input): Promise<void> {
  return inTime(() => call(input), longestMs);
}

/** Says how far it is, in memory of how many MB, and how to go on there. */
function tell<Input>({ name, share }: Target<Input>, run: { made: number; to: number }): void {
  const { rss, heapUsed } = Deno.memoryUsage();
  const [all, heap] = [rss, heapUsed].map((bytes) => Math.round(bytes / 1e6));
  const line = `${name}: ${run.made} of ${run.to} calls, ${all} MB, ${heap} MB of them heap; ` +
    `--target ${name} --from ${Math.floor(run.made / share)} goes on here\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(line));
}

function everyMinute(what: () => void): Disposable {
  const timer = setInterval(what, 60_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** What is in use, whatever could be collected. */
function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed;
}

async function kept<Input>(target: string): Promise<Input[]> {
  const names = (await Array.fromAsync(Deno.readDir(corpus), ({ name }) => name))
    .filter((name) => name.startsWith(`${target}-`)).sort();
  const texts = names.map((name) => Deno.readTextFile(new URL(name, corpus)));
  return (await Promise.all(texts)).map((text) => JSON.parse(text));
}

async function keep(target: string, input: unknown): Promise<void> {
  const text = `${JSON.stringify(input, undefined, 2)}\n`;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const name = `${target}-${new Uint8Array(hash).toHex().slice(0, 8)}.json`;
  await Deno.writeTextFile(new URL(name, corpus), text);
}
