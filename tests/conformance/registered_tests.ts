/**
 * The tests that a module registers, without running them.
 *
 * @module
 */

/** A test as `deno test` would report it. */
export interface RegisteredTest {
  readonly name: string;
  /** Path of its module. */
  readonly file: string;
}

/** Imports the modules, and gives the tests that would run; those that are ignored are left out. */
export async function registeredTests(files: readonly string[]): Promise<RegisteredTest[]> {
  const found: RegisteredTest[] = [];
  const runner: { test: typeof Deno.test } = Deno;
  const genuine = runner.test;
  try {
    for (const file of files) {
      runner.test = recorder((name) => found.push({ name, file }));
      await import(new URL(file, "file:///").href);
    }
  } finally {
    runner.test = genuine;
  }
  return found;
}

/** `Deno.test` as the project calls it: with a name, options and a body, or with a whole definition. */
function recorder(record: (name: string) => void): typeof Deno.test {
  function test(first: string | Deno.TestDefinition, options?: { ignore?: boolean }): void {
    const { name, ignore } = typeof first === "string"
      ? { name: first, ignore: options?.ignore }
      : first;
    if (!ignore) record(name);
  }
  const hook = () => {};
  const hooks = {
    ignore: hook,
    beforeAll: hook,
    beforeEach: hook,
    afterEach: hook,
    afterAll: hook,
  };
  return Object.assign(test, hooks) as unknown as typeof Deno.test;
}
