import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import type { ProfileName } from "../../../shared/core/gang/settings.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import { differencesIn, MemoryTape, replannedIn, replayed } from "../../support/tape.ts";
import { work } from "../search.ts";
import { onManyNodes } from "./on_many_nodes.ts";
import { crowds, histories, mixtures, places, rivals, told, trees } from "./history.ts";
import { DirectPolicy, EmbeddedPolicy } from "./policy_host.ts";
import { live } from "./simulation.ts";

const kinds = { histories, mixtures, trees, crowds, rivals, places };

/** What a worker is to do: so many histories of a seed, in these profiles. */
export interface Task {
  readonly runs: number;
  readonly seed: number;
  readonly profiles: readonly ProfileName[];
  readonly of: keyof typeof kinds;
  /** The store's own classes in memory, or the functions' HTTP over the store on disk. */
  readonly policy: "direct" | "embedded";
  /** Whether each is recorded, and its decisions are made again. */
  readonly isRecorded?: true;
}

/** Reported after so many histories. */
const reportEvery = 10;
/** For so long a shorter one that breaks a rule is looked for, in ms. */
const shortensForMs = 60_000;

/** Lives through histories until one breaks a rule, and then tells the shortest of its kind that it finds in a minute. */
async function search(
  { runs, seed, profiles, of, policy, isRecorded }: Task,
  report: (done: number) => void,
): Promise<string | undefined> {
  const policyOf = (profile: ProfileName) =>
    policy === "direct" ? new DirectPolicy(profile) : new EmbeddedPolicy(profile);
  let done = 0;
  let until = Infinity;
  const details = await fc.check(
    fc.asyncProperty(kinds[of](...profiles), fc.boolean(), async (history, isOnMany) => {
      if (performance.now() > until) return;
      const tape = new MemoryTape();
      const decided = isOnMany ? onManyNodes(decisions) : decisions;
      try {
        await live(history, {
          policyOf,
          decisions: isRecorded ? new Recorder(decisions, tape) : decided,
        });
      } catch (error) {
        if (until === Infinity) until = performance.now() + shortensForMs;
        throw error;
      }
      assertEquals(tape.missedCount, 0);
      assertEquals(differencesIn(replayed(tape.lines, decisions)), []);
      assertEquals(replannedIn(tape.lines).differences, []);
      if (++done % reportEvery === 0) report(reportEvery);
    }),
    { numRuns: runs, seed },
  );
  if (!details.failed) return undefined;
  const [history, isOnMany] = details.counterexample!;
  const { numRuns, numShrinks } = details;
  const why = (details.errorInstance as Error | null)?.stack;
  return `history ${numRuns} of seed ${seed}, shrunk ${numShrinks} times${
    isOnMany ? ", as on many nodes" : ""
  }:\n${told(history)}\n${JSON.stringify(history)}\n\n${why}`;
}

work(search);
