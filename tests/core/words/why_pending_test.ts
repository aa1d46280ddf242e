import { assert, assertEquals, assertMatch } from "@std/assert";
import { reasons } from "../../../shared/core/words/reason.ts";
import { noNodes, noTakingNodes } from "../../../shared/core/room/fit.ts";
import { whatHelpsFit } from "../../../shared/core/words/insufficient_resources.ts";
import { whatHelps } from "../../../shared/core/words/what_helps.ts";
import { whyPending } from "../../../shared/core/words/why_pending.ts";
import { noRoom, short, situations } from "./situations.ts";

for (const [situation, message] of situations) {
  const { reason } = situation;
  Deno.test(`why pending: ${message}`, () =>
    assertEquals<{ reason: string; message: string }>(whyPending(situation), { reason, message }));
}

Deno.test("why pending: no two situations share a sentence, and every reason has one", () => {
  const sentences = situations.map(([situation]) => whyPending(situation).message);
  assertEquals(new Set(sentences).size, situations.length);
  const told = new Set<string>(situations.map(([{ reason }]) => reason));
  assertEquals(reasons.filter((reason) => !told.has(reason)), []);
});

Deno.test("why pending: the sentence names the gang, so that two gangs never share one", () => {
  const other = JSON.stringify(situations).replaceAll("default/a", "default/z");
  for (const [situation] of JSON.parse(other) as typeof situations) {
    assertMatch(whyPending(situation).message, /default\/z/);
  }
});

Deno.test("why pending: something is said to help whatever keeps a gang from starting", () => {
  const goesOn = ["Admitted", "Satisfied", "Gone"];
  for (const reason of reasons.filter((reason) => !goesOn.includes(reason))) {
    assert(whatHelps(reason, "default/a"), reason);
  }
});

Deno.test("why pending: waiting is not said to help where it does not", () => {
  const impossible = { scope: "gang", resource: "cpu", asks: 5, largest: 2 } as const;
  assertMatch(whatHelps("InsufficientResources", "default/a")!, /wait/);
  assertEquals(whatHelpsFit(short), undefined);
  assertMatch(whatHelpsFit({ ...short, impossible })!, /add nodes .* ask for less.*not help/);
  const fit = { ...short, shortOf: noNodes };
  assertMatch(whatHelpsFit(fit)!, /add nodes that its members may run on/);
  assertMatch(whatHelpsFit({ ...short, shortOf: noTakingNodes })!, /mend what the scheduler says/);
  const { message } = whyPending({ ...noRoom, fit: { ...fit, impossible } });
  assertEquals(message, whyPending({ ...noRoom, fit }).message);
});
