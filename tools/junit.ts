/** How many tests of a run passed, failed and were skipped. */
export interface TestCount {
  passed: number;
  failed: number;
  skipped: number;
}

/** The sums over several runs. */
export function sumOf(counts: TestCount[]): TestCount {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    skipped: counts.reduce((sum, { skipped }) => sum + skipped, 0),
  };
}

/** A test or a step that failed. */
export interface Failure {
  /** As the report names it, for example `./tests/a_test.ts`. */
  file: string;
  /** The test; a step's name begins with it. */
  test: string;
  name: string;
  /** What was thrown, on one line. */
  message: string;
}

/** What failed, in the order of the report; a test whose steps failed is not told beside them. */
export function failuresIn(junit: string): Failure[] {
  return casesIn(junit).flatMap(({ file, test, name, body }) => {
    const [, message] = /<failure message="([^"]*)"/.exec(body) ?? [];
    if (message === undefined || /^\d+ test steps? failed/.test(message)) return [];
    const [testName, fullName] = [unescaped(test), unescaped(name)];
    // A test that was registered by a helper is reported as of the helper's file.
    const [thrownIn = file] = /tests\/[\w/]+_test\.ts/.exec(body) ?? [];
    return {
      file: file.endsWith("_test.ts") ? file : thrownIn,
      test: testName,
      name: fullName,
      message: unescaped(message).replace(/\s+/g, " "),
    };
  });
}

/**
 * Counts the tests in a report of `deno test --junit-path`. Steps are not counted: each stands after its test as a case of
 * its own, named `<test> > <step>`, and a test with a failed step has failed.
 */
export function countTests(junit: string): TestCount {
  const count: TestCount = { passed: 0, failed: 0, skipped: 0 };
  for (const { test, name, body } of casesIn(junit)) {
    if (name !== test) continue;
    if (body.includes("<failure")) count.failed++;
    else if (body.includes("<skipped")) count.skipped++;
    else count.passed++;
  }
  return count;
}

/** Tests and steps, in the order of the report, with names as they are escaped there. */
function* casesOf(
  suite: string,
): Generator<{ file: string; test: string; name: string; body: string }> {
  const [, file = ""] = /^name="([^"]*)"/.exec(suite) ?? [];
  let test = "";
  for (const [, name = "", body = ""] of suite.matchAll(TEST_CASE)) {
    if (test === "" || !name.startsWith(`${test} &gt; `)) test = name;
    yield { file, test, name, body };
  }
}

function casesIn(junit: string) {
  return junit.split("<testsuite ").slice(1).flatMap((suite) => [...casesOf(suite)]);
}

/** Names and texts are escaped in the report, so none of them contains `<` or `"`. */
const TEST_CASE = /<testcase name="([^"]*)"[^>]*>([^]*?)<\/testcase>/g;

const entities: Record<string, string> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
  "#10": "\n",
};

function unescaped(text: string): string {
  return text.replace(/&(#?\w+);/g, (entity, name) => entities[name] ?? entity);
}
