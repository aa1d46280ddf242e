/**
 * Loads tests once, and runs those that reach a fault with it on. A test that asks for switches many times more often than it does
 * without a fault does not end: that is an error wherever it asks next, which also ends a loop.
 *
 * @module
 */

/** What is asked: load the tests, or try a fault. */
export type Asked = { load: readonly string[]; mutant?: number } | { mutant: number };
/** What is told: the tests pass without a fault, a fault was noticed or not. */
export type Told = Loaded | { noticed?: string };
/** What tests reach, and how long all of them take that reach a fault, in ms. */
export type Loaded = { loaded: number; reached: ReadonlyMap<number, number> };

interface Registered {
  readonly name: string;
  readonly run: (t: unknown) => unknown;
  readonly reaches: Set<number>;
  /** How long it takes, in ms, and how often it asks for a switch. */
  ms: number;
  asks: number;
}

/** A test does not end that asks for so many times more switches with a fault, and so many. */
const endlessAfter = { times: 5, asks: 20_000_000 };

const tests: Registered[] = [];
let on = -1;
let reached = new Set<number>();
let asks = 0;
let mostAsks = Infinity;

Object.assign(globalThis, {
  mutantAt(id: number): boolean {
    if (++asks > mostAsks) throw new Error("This does not end");
    reached.add(id);
    return id === on;
  },
});
Object.defineProperty(Deno, "test", {
  value: Object.assign(register, { beforeAll() {}, afterAll() {} }),
});

function register(...given: unknown[]): void {
  const run = given.findLast((part) => typeof part === "function") as Registered["run"] | undefined;
  const [first] = given as [string | { name: string; fn: Registered["run"] }];
  const own = typeof first === "string"
    ? { name: first, run: run! }
    : { name: first.name, run: first.fn };
  tests.push({ ...own, reaches: new Set(), ms: 0, asks: 0 });
}

/** The name of the first test that fails. */
async function failed(among: readonly Registered[]): Promise<string | undefined> {
  const context = { step: async (_name: string, fn: (t: unknown) => unknown) => await fn(context) };
  for (const test of among) {
    reached = new Set();
    asks = 0;
    mostAsks = on < 0 || test.asks === 0
      ? Infinity
      : endlessAfter.times * test.asks + endlessAfter.asks;
    const startedAt = performance.now();
    try {
      await test.run(context);
    } catch {
      return test.name;
    }
    if (asks > mostAsks) return test.name;
    for (const id of reached) test.reaches.add(id);
    if (on < 0) Object.assign(test, { ms: performance.now() - startedAt, asks });
  }
  return undefined;
}

async function answer(asked: Asked): Promise<Told> {
  if ("load" in asked) {
    on = asked.mutant ?? -1;
    try {
      for (const path of asked.load) await import(path);
      const name = await failed(tests);
      if (asked.mutant !== undefined) return name === undefined ? {} : { noticed: name };
      if (name !== undefined) throw new Error(`"${name}" fails without a fault`);
    } catch (error) {
      if (asked.mutant === undefined) throw error;
      return { noticed: String(error) };
    }
    // What is quick is tried first, because most faults are noticed by many.
    tests.sort((a, b) => a.ms - b.ms);
    const reached = new Map<number, number>();
    for (const { reaches, ms } of tests) {
      for (const id of reaches) reached.set(id, (reached.get(id) ?? 0) + ms);
    }
    return { loaded: tests.length, reached };
  }
  on = asked.mutant;
  const name = await failed(tests.filter(({ reaches }) => reaches.has(asked.mutant)));
  on = -1;
  return name === undefined ? {} : { noticed: name };
}

Object.assign(globalThis, {
  async onmessage({ data }: MessageEvent<Asked>): Promise<void> {
    (globalThis as unknown as Worker).postMessage(await answer(data));
  },
});
