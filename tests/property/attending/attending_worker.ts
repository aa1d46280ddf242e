import fc from "fast-check";
import { work } from "../search.ts";
import { histories, live } from "./history.ts";

/** A history in which less happens is not counted. */
const leastEvents = 50;
/** Reported after so many histories. */
const reportEvery = 1000;

work<{ runs: number; seed: number }>(({ runs, seed }, report) => {
  let done = 0;
  const details = fc.check(
    fc.property(histories, (history) => {
      const { violation, events } = live(history);
      if (violation !== undefined) throw new Error(violation);
      fc.pre(events >= leastEvents);
      if (++done % reportEvery === 0) report(reportEvery);
    }),
    { numRuns: runs, seed },
  );
  if (!details.failed) return Promise.resolve(undefined);
  const { numRuns, numShrinks, counterexample, errorInstance } = details;
  return Promise.resolve(
    `history ${numRuns} of seed ${seed}, shrunk ${numShrinks} times:\n${
      JSON.stringify(counterexample![0], null, 1)
    }\n\n${(errorInstance as Error).message}`,
  );
});
