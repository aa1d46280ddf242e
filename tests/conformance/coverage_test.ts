import { assertEquals } from "@std/assert";
import { listFiles } from "../../tools/list_files.ts";
import { type RegisteredTest, registeredTests } from "./registered_tests.ts";
import { allScenarios, idsIn, type Scenario } from "./scenario_ids.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const decisions = await Deno.readTextFile(`${root}/tests/conformance/decisions.md`);
// The control plane's tests are left out: they do not run everywhere.
const files = (await listFiles(root, "_test.ts")).filter((path) =>
  path.startsWith("tests/") && !path.startsWith("tests/e2e/") && !path.endsWith("/coverage_test.ts")
);
const tests = await registeredTests(files.map((path) => `${root}/${path}`));

/** The scenarios that no test's name carries, and no decision where that is enough. */
function uncovered(
  scenarios: readonly Scenario[],
  covering: { tests: readonly Pick<RegisteredTest, "name">[]; decisions: string },
): string[] {
  const tested = new Set(covering.tests.flatMap(({ name }) => idsIn(name)));
  const decided = new Set(idsIn(covering.decisions));
  return scenarios
    .filter(({ id, fit }) => !tested.has(id) && !(fit === "adapted" && decided.has(id)))
    .map(({ id, fit }) =>
      `${id}: no test's name carries it${fit === "adapted" ? ", and no line of decisions.md" : ""}`
    );
}

Deno.test("coverage: every scenario is a test, or a decision where Muster differs", () => {
  assertEquals(uncovered(allScenarios, { tests, decisions }), []);
});

Deno.test("coverage: tests and decisions name no scenario that does not exist", () => {
  const known = new Set(allScenarios.map(({ id }) => id));
  const unknown = [
    ...tests.map(({ name, file }) => ({ text: name, where: `${file}: ${name}` })),
    { text: decisions, where: "decisions.md" },
  ].flatMap(({ text, where }) =>
    idsIn(text).filter((id) => !known.has(id))
      .map((id) => `${id} in ${where}`)
  );
  assertEquals(unknown, []);
});

Deno.test("coverage: a scenario that nothing names is reported, and a decision is no test", () => {
  const made: Scenario[] = [
    { id: "SP-XX-1", fit: "alike" },
    { id: "SP-XX-2", fit: "alike" },
    { id: "SP-XX-3", fit: "adapted" },
    { id: "SP-XX-4", fit: "adapted" },
  ];
  const covering = {
    tests: [{ name: "permit: SP-XX-1 and more" }, { name: "permit: SP-XX-20" }],
    decisions: "| SP-XX-2, SP-XX-3 | there | here | why |",
  };
  assertEquals(uncovered(made, covering), [
    "SP-XX-2: no test's name carries it",
    "SP-XX-4: no test's name carries it, and no line of decisions.md",
  ]);
});

Deno.test("coverage: one name may carry several ids", () => {
  assertEquals(idsIn("queue-sort: SP-LS-1/2 KO-DF-7, 8, 13 and BUG-9 of 10"), [
    "SP-LS-1",
    "SP-LS-2",
    "KO-DF-7",
    "KO-DF-8",
    "KO-DF-13",
    "BUG-9",
  ]);
});

Deno.test("coverage: ignored tests cover nothing", async () => {
  const file = await Deno.makeTempFile({ suffix: "_test.ts" });
  await Deno.writeTextFile(
    file,
    `Deno.test("runs", () => {});
    Deno.test("does not", { ignore: true }, () => {});
    Deno.test({ name: "runs too", fn() {} });
    Deno.test.ignore("does not either", () => {});`,
  );
  const found = await registeredTests([file]);
  await Deno.remove(file);
  assertEquals(found.map(({ name }) => name), ["runs", "runs too"]);
});
