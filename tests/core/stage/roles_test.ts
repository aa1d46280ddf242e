import { answerOfCore } from "../../conformance/cases/conformance_case.ts";
import { roleCases } from "../../conformance/cases/role_cases.ts";

for (const row of roleCases) Deno.test(row.id, () => row.check(answerOfCore(row)));
