/**
 * Tries a target with inputs of a grammar, and with those that once found a fault.
 *
 * @module
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { assert } from "@std/assert";

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
/** No call may take longer, in ms, without what other processes take; one that did is made again: they have their caches, too. */
const longestMs = 1000;
const attempts = 3;
/** After so many calls the event loop turns: where all that is awaited is at hand, no time would ever be over. */
const callsPerTurn = 50;
/** What a run may leave in memory, in bytes: a leak of a hundred bytes for each of a million calls shows. */
const mostLeft = 32 * 1024 * 1024;

const corpus = new URL("corpus/", import.meta.url);

/**
 * Makes the calls of a target: MUSTER_FUZZ of all targets together, default 10,000, from MUSTER_SEED on. What fails is made as
 * small as it can be; MUSTER_FUZZ_KEEP=true adds it to the corpus.
 */
export async function fuzz<Input>(target: Target<Input>): Promise<void> {
  const { name, share, inputs } = target;
  for (const input of await kept<Input>(name)) await timed(target, input);
  const calls = Number(Deno.env.get("MUSTER_FUZZ") ?? usualCalls);
  const numRuns = Math.max(1, Math.round(calls * share));
  const before = heapUsed();
  const result = await fc.check(fc.asyncProperty(inputs, (input) => timed(target, input)), {
    numRuns,
    seed: Number(Deno.env.get("MUSTER_SEED") ?? 1),
  });
  if (result.failed) {
    if (Deno.env.get("MUSTER_FUZZ_KEEP") === "true" && result.counterexample) {
      await keep(name, result.counterexample[0]);
    }
    throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
  }
  const left = heapUsed() - before;
  assert(left < mostLeft, `${numRuns} calls of "${name}" left ${Math.round(left / 1e6)} MB`);
}

let made = 0;

async function timed<Input>({ call }: Target<Input>, input: Input): Promise<void> {
  if (++made % callsPerTurn === 0) await new Promise((resolve) => setTimeout(resolve));
  let took = 0;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const start = performance.now() - waitedMs();
    await call(input);
    took = performance.now() - waitedMs() - start;
    if (took <= longestMs) return;
  }
  throw new Error(`It takes ${Math.round(took)} ms, again and again`);
}

/** How long other processes had the CPU that this thread could have run on, where Linux tells (schedstat, in ns). */
function waitedMs(): number {
  if (Deno.build.os !== "linux") return 0;
  return Number(Deno.readTextFileSync("/proc/self/schedstat").split(" ")[1]) / 1e6;
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
