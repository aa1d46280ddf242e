/**
 * Faults that change nothing anybody could notice.
 *
 * @module
 */
import type { Mutant } from "./instrument.ts";

/** In which file, what was there and stands there now, and why that is as good. */
export const equivalent:
  readonly (readonly [file: string, original: string, mutated: string, why: string])[] = [
    [
      "shared/core/plan/search.ts",
      "this.#looks > mostLooks",
      "(this.#looks) >= (mostLooks)",
      "a search that is given up one look earlier is as good",
    ],
    ["shared/core/plan/search.ts", "500_000", "500_000 + 1", "a search may look once more"],
    ["shared/core/plan/search.ts", "64", "64 + 1", "one node more may be tried"],
    ["shared/core/plan/eviction.ts", "200", "200 + 1", "from how many on it is only quicker"],
    [
      "shared/core/plan/eviction.ts",
      "units.length > manyUnits",
      "(units.length) >= (manyUnits)",
      "from how many on it is only quicker",
    ],
    ["shared/core/plan/eviction.ts", "4", "4 + 1", "how many more are looked at next"],
    ["shared/core/plan/eviction.ts", "2000", "2000 + 1", "a search may look once more"],
    [
      "shared/core/plan/eviction.ts",
      "looked < mostLooked",
      "(looked) <= (mostLooked)",
      "a search may look once more",
    ],
    [
      "shared/core/plan/planner.ts",
      "1000",
      "1000 + 1",
      "from how many nodes on a write is cheaper",
    ],
    [
      "shared/core/plan/prospects.ts",
      "answers.size < rememberedShapes",
      "(answers.size) <= (rememberedShapes)",
      "one answer more is remembered",
    ],
    ["shared/core/plan/prospects.ts", "1000", "1000 + 1", "one answer more is remembered"],
    [
      "shared/core/room/ground.ts",
      "this.size > 2 * nodes + remembered",
      "(this.size) >= (2 * nodes + remembered)",
      "how much is remembered",
    ],
    ["shared/core/room/ground.ts", "2", "2 + 1", "how much is remembered"],
    [
      "shared/core/words/policy_text.ts",
      "4",
      "4 + 1",
      "how much of a text is looked at that is cut afterwards",
    ],
    ["shared/core/queue/order.ts", "15", "15 + 1", "all times have as many digits then, too"],
    ["shared/core/queue/order.ts", "10", "10 + 1", "all priorities have as many digits then, too"],
  ];

/** Whether nobody could notice the fault, however closely they looked. */
export function isEquivalent({ file, original, mutated }: Mutant): boolean {
  return equivalent.some(([where, before, after]) =>
    where === file && before === original && after === mutated
  );
}
