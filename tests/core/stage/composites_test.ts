import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { compositeCases } from "../../conformance/cases/composite_cases.ts";

for (const row of compositeCases) Deno.test(row.id, () => row.check(answerOfCore(row)));
