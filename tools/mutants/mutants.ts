/**
 * Tries whether the tests of the core notice small faults in it.
 *
 * @module
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../list_files.ts";
import { isEquivalent } from "./equivalent.ts";
import { instrument, type Mutant } from "./instrument.ts";
import type { Asked, Loaded, Told } from "./mutant_worker.ts";

/** A fault that was tried; `noticed` names the test that failed, or says that one did not end. */
export interface Tried extends Mutant {
  readonly noticed?: string;
  /** No test comes by where it is. */
  readonly isUnreached?: true;
}

/** A worker that loads the tests for longer than this, in ms, hangs. */
const loadsWithinMs = 300_000;
/** Tests hang that take so many times longer with a fault, and so many ms. */
const hangsAfter = { times: 5, ms: 10_000 };

const root = new URL("../..", import.meta.url).pathname;
/** Where the rules are. */
export const core = "shared/core";
/** Modules whose numbers are as good as others near them. */
const leftOut: Readonly<Record<string, string>> = {
  "shared/core/attend/times.ts": "a time that is a little longer is another time, and no fault",
  "shared/core/gang/limits.ts": "sizes; what keeps to them is in the contract's tests",
  "shared/core/stage/digest.ts": "a hash by another constant is a hash too",
};
/** Tests that run in memory, in seconds. */
const testFolders = ["tests/core", "tests/kubernetes", "tests/cluster", "tests/property"];
/** Of these there are quicker ones, and they run in workers. */
const leftOutTests = /^tests\/property\/(histories|attending)\//;
/** Histories, in one worker: those through the pure decisions, which judge last, and those through the relay. */
const byHistories = {
  pure: "tests/mutants/pure_histories.ts",
  relay: "tests/mutants/relay_histories.ts",
};
/** Of each property, as `MUSTER_HISTORIES` has it. */
const histories = "100";
const copied = ["shared", "relay", "cli", "functions", "page", "tools", "tests", "import_map.json"];

/** The project in a folder of its own, with all small faults in one of its folders that could be noticed, each switched off. */
export async function mutated(dir: string, folder = core): Promise<Mutant[]> {
  for (const name of copied) await cp(join(root, name), join(dir, name), { recursive: true });
  await Deno.symlink(join(root, "node_modules"), join(dir, "node_modules"));
  await Deno.copyFile(join(root, "deno.json"), join(dir, "deno.json"));
  await Deno.copyFile(join(root, "deno.lock"), join(dir, "deno.lock"));
  const mutants: Mutant[] = [];
  for (const path of await listFiles(join(root, folder), ".ts")) {
    const file = `${folder}/${path}`;
    const source = await Deno.readTextFile(join(root, file));
    const { code, mutants: found } = instrument(source, { file, firstId: mutants.length });
    await Deno.writeTextFile(join(dir, file), `// @ts-nocheck\n${code}`);
    mutants.push(...found);
  }
  return mutants.filter((mutant) => leftOut[mutant.file] === undefined && !isEquivalent(mutant));
}

/** Faults, and who is told of each that was tried. */
export interface Trial {
  readonly mutants: readonly Mutant[];
  readonly tried: (mutant: Tried) => void;
  /** By histories through a running relay, and not by the core's tests. */
  readonly isInRelay?: boolean;
}

/** Tries faults one after another, in workers of the folder. */
export async function tryMutants(
  dir: string,
  { mutants, tried, isInRelay = false }: Trial,
): Promise<void> {
  const files = isInRelay ? [byHistories.relay] : [...await coreTests(dir), byHistories.pure];
  const load = files.map((file) => join(dir, file));
  const asked = Deno.env.get("MUSTER_HISTORIES");
  Deno.env.set("MUSTER_HISTORIES", histories);
  let loaded: InWorker | undefined;
  try {
    for (const mutant of mutants) {
      if (mutant.isStatic) {
        using fresh = new TestWorker(dir);
        const told = await fresh.ask({ load, mutant: mutant.id }, loadsWithinMs);
        tried({ ...mutant, ...told as Tried });
        continue;
      }
      loaded ??= await loadedIn(dir, load);
      const ms = loaded.reached.get(mutant.id);
      if (ms === undefined) {
        tried({ ...mutant, isUnreached: true });
        continue;
      }
      const within = hangsAfter.times * ms + hangsAfter.ms;
      const told = await loaded.worker.ask({ mutant: mutant.id }, within) as Tried;
      tried({ ...mutant, ...told });
      if (loaded.worker.isBroken) {
        loaded.worker[Symbol.dispose]();
        loaded = undefined;
      }
    }
  } finally {
    loaded?.worker[Symbol.dispose]();
    if (asked === undefined) Deno.env.delete("MUSTER_HISTORIES");
    else Deno.env.set("MUSTER_HISTORIES", asked);
  }
}

async function coreTests(dir: string): Promise<string[]> {
  const files: string[] = [];
  for (const folder of testFolders) {
    const paths = await listFiles(join(dir, folder), "_test.ts");
    files.push(...paths.map((path) => `${folder}/${path}`));
  }
  return files.filter((file) => !leftOutTests.test(file));
}

type InWorker = Loaded & { readonly worker: TestWorker };

async function loadedIn(dir: string, load: readonly string[]): Promise<InWorker> {
  const worker = new TestWorker(dir);
  const told = await worker.ask({ load }, loadsWithinMs) as Loaded | { noticed: string };
  if ("noticed" in told) {
    worker[Symbol.dispose]();
    throw new Error(`Cannot run the tests of "${dir}": ${told.noticed}`);
  }
  return { ...told, worker };
}

/** A worker that has the tests. */
class TestWorker implements Disposable {
  readonly #worker: Worker;
  /** It hangs or has ended: nothing more may be asked. */
  isBroken = false;

  constructor(dir: string) {
    const url = new URL(`file://${dir}/tools/mutants/mutant_worker.ts`);
    this.#worker = new Worker(url, { type: "module" });
  }

  async ask(asked: Asked, withinMs: number): Promise<Told> {
    const told = Promise.withResolvers<Told>();
    this.#worker.onmessage = ({ data }) => told.resolve(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.isBroken = true;
      told.resolve({ noticed: event.message });
    };
    const timer = setTimeout(() => {
      this.isBroken = true;
      told.resolve({ noticed: "a test that does not end" });
    }, withinMs);
    this.#worker.postMessage(asked);
    return await told.promise.finally(() => clearTimeout(timer));
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
