import { assertEquals } from "@std/assert";
import { countTests, failuresIn, sumOf } from "../../tools/junit.ts";

const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="2" errors="0" time="0.152">
    <testsuite name="./tests/a_test.ts" tests="5" disabled="1" errors="0" failures="2">
        <testcase name="sorts &lt;a&gt; &gt; b" classname="./tests/a_test.ts" time="0.001" line="1" col="6">
        </testcase>
        <testcase name="is off" classname="./tests/a_test.ts" time="0.000" line="1" col="45">
            <skipped/>
        </testcase>
        <testcase name="has steps" classname="./tests/a_test.ts" time="0.001" line="1" col="72">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="has steps &gt; one" classname="./tests/a_test.ts" time="0.000" line="1" col="104">
            <failure message="Uncaught
  &quot;1&quot;">the text &lt;skipped/&gt;</failure>
        </testcase>
        <testcase name="has steps &gt; two" classname="./tests/a_test.ts" time="0.000" line="1" col="131">
        </testcase>
    </testsuite>
    <testsuite name="./tests/b_test.ts" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="has steps &gt; one" classname="./tests/b_test.ts" time="0.000" line="1" col="6">
        </testcase>
    </testsuite>
</testsuites>
`;

Deno.test("countTests() counts tests, and no steps", () => {
  assertEquals(countTests(report), { passed: 2, failed: 1, skipped: 1 });
});

Deno.test("countTests() finds nothing in the empty report of a run that crashed", () => {
  assertEquals(countTests(""), { passed: 0, failed: 0, skipped: 0 });
});

Deno.test("failuresIn() names what failed and says why, on one line", () => {
  assertEquals(failuresIn(report), [
    {
      file: "./tests/a_test.ts",
      test: "has steps",
      name: "has steps > one",
      message: 'Uncaught "1"',
    },
  ]);
});

Deno.test("failuresIn() names the file of a test that a helper registered", () => {
  const helped = report.replaceAll("./tests/b_test.ts", "./tests/e2e/support/on_cluster.ts")
    .replace(
      /(name="has steps &gt; one" classname="[^"]*on_cluster[^>]*>)/,
      `$1<failure message="x">at file:///clone/tests/e2e/queue/a_test.ts:1:2</failure>`,
    );
  assertEquals(failuresIn(helped).at(-1)?.file, "tests/e2e/queue/a_test.ts");
});

Deno.test("sumOf() adds each count", () => {
  const counts = [{ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 }];
  assertEquals(sumOf(counts), { passed: 11, failed: 22, skipped: 33 });
});
