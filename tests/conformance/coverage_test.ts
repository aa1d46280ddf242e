import { assertEquals } from "@std/assert";
import { listFiles } from "../../tools/list_files.ts";
import { type RegisteredTest, registeredTests } from "./registered_tests.ts";
import { allScenarios, type Fit, idsIn, type Scenario } from "./scenario_ids.ts";

const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const decisions = await Deno.readTextFile(`${root}/tests/conformance/decisions.md`);
const files = (await listFiles(`${root}/tests`, "_test.ts"))
  .filter((path) => path !== "conformance/coverage_test.ts");
const registered = await registeredTests(files.map((path) => `${root}/tests/${path}`));
// Those of the control plane do not run everywhere: they cover what nothing else can show.
const onScheduler = registered.filter(({ file }) => file.startsWith(`${root}/tests/e2e/`));
const tests = registered.filter((test) => !onScheduler.includes(test));

type Named = readonly Pick<RegisteredTest, "name">[];

/** The scenarios that nothing of their fit names. */
function uncovered(
  scenarios: readonly Scenario[],
  covering: { tests: Named; onScheduler: Named; decisions: string },
): string[] {
  const idsOf = (tests: Named) => tests.flatMap(({ name }) => idsIn(name));
  const alike = idsOf(covering.tests);
  const namedBy: Record<Fit, [ids: Set<string>, what: string]> = {
    alike: [new Set(alike), "no test's name carries it"],
    adapted: [
      new Set([...alike, ...idsIn(covering.decisions)]),
      "no test's name carries it, and no line of decisions.md",
    ],
    scheduler: [new Set(idsOf(covering.onScheduler)), "no e2e test's name carries it"],
  };
  return scenarios.filter(({ id, fit }) => !namedBy[fit][0].has(id))
    .map(({ id, fit }) => `${id}: ${namedBy[fit][1]}`);
}

Deno.test("coverage: every scenario is a test, or a decision where Muster differs", () => {
  assertEquals(uncovered(allScenarios, { tests, onScheduler, decisions }), []);
});

Deno.test("coverage: tests and decisions name no scenario that does not exist", () => {
  const known = new Set(allScenarios.map(({ id }) => id));
  const unknown = [
    ...registered.map(({ name, file }) => ({ text: name, where: `${file}: ${name}` })),
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
    { id: "PL-X5", fit: "scheduler" },
    { id: "PL-X6", fit: "scheduler" },
  ];
  const covering = {
    tests: [{ name: "permit: SP-XX-1 and more" }, { name: "permit: SP-XX-20 PL-X6" }],
    onScheduler: [{ name: "PL-X5: one is bound, and SP-XX-2" }],
    decisions: "| SP-XX-2, SP-XX-3 | there | here | why |",
  };
  assertEquals(uncovered(made, covering), [
    "SP-XX-2: no test's name carries it",
    "SP-XX-4: no test's name carries it, and no line of decisions.md",
    "PL-X6: no e2e test's name carries it",
  ]);
});

Deno.test("coverage: one name may carry several ids", () => {
  assertEquals(idsIn("queue-sort: SP-LS-1/2 KO-DF-7, 8, 13 and BUG-9 of 10; EX-10 PL-B4, PL-B8"), [
    "SP-LS-1",
    "SP-LS-2",
    "KO-DF-7",
    "KO-DF-8",
    "KO-DF-13",
    "BUG-9",
    "EX-10",
    "PL-B4",
    "PL-B8",
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
