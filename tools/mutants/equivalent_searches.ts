/**
 * Faults in the search for places that change nothing anybody could notice.
 *
 * @module
 */
import type { Equivalent } from "./equivalent_plans.ts";

/** Those of where `shared/core/plan` looks for places, and for what is short where there are none. */
export const equivalentSearches: readonly Equivalent[] = [
  ["shared/core/plan/looks.ts", "200_000", "200_000 + 1", "a search may look once more"],
  [
    "shared/core/plan/looks.ts",
    "this.#spent >= this.#most",
    "(this.#spent) > (this.#most)",
    "a search that is given up one look later is as good",
  ],
  ["shared/core/plan/looks.ts", "0", "0 + 1", "a search may look once less", "#spent = 0"],
  ["shared/core/plan/spreading.ts", "64", "64 + 1", "one node more may be tried"],
  ["shared/core/plan/filling.ts", "10", "10 + 1", "what a step costs is a guess", "looksPerStep ="],
  ["shared/core/plan/filling.ts", "10", "10 + 1", "what a look costs is a guess", "nodesPerLook ="],
  ["shared/core/plan/filling.ts", "3000", "3000 + 1", "how much the stack holds is a guess"],
  ["shared/core/plan/filling.ts", "8", "8 + 1", "how much a choice takes of the stack is a guess"],
  [
    "shared/core/plan/search.ts",
    "3",
    "3 + 1",
    "what a choice costs is a guess",
    "looksPerChoice =",
  ],
  [
    "shared/core/plan/may_fit.ts",
    "fits >= needed",
    "(fits) > (needed)",
    "it is added up further",
    "if (fits >= needed) return true",
  ],
  [
    "shared/core/plan/placing.ts",
    "part.all.length > 1",
    "(part.all.length) >= (1)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/search.ts",
    "whole + parts.length - index - 1",
    "(whole + parts.length - index) + (1)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/search.ts",
    "whole + parts.length - index",
    "(whole + parts.length) + (index)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/search.ts",
    "slices > 0",
    "(slices) >= (0)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/search.ts",
    "Math.min(left, choice.slices)",
    "Math.max(left, choice.slices)",
    "more slices than are left lead nowhere",
  ],
  [
    "shared/core/plan/filling.ts",
    "kinds.length > 1",
    "(kinds.length) >= (1)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/filling.ts",
    "Math.max(0, count - this.unplacedOf(others))",
    "Math.min(0, count - this.unplacedOf(others))",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/seats.ts",
    "!alike || node === undefined",
    "(!alike) && (node === undefined)",
    "what is placed is so on nodes that are there, by members that are",
  ],
  [
    "shared/core/plan/seats.ts",
    "0",
    "0 + 1",
    "nobody is placed where there are no places",
    "this.#within!.set(id",
  ],
  ["shared/core/plan/shortage.ts", "10", "10 + 1", "one domain more is looked at"],
  [
    "shared/core/plan/shortage.ts",
    "required === undefined || !bounds",
    "(required === undefined) && (!bounds)",
    "there are no bounds where none are required",
  ],
  ["shared/core/plan/shortage.ts", "left <= 0", "(left) < (0)", "of no members all find room"],
  [
    "shared/core/plan/shortage.ts",
    "sum + this.#search.unplaced(alike)",
    "(sum) - (this.#search.unplaced(alike))",
    "it is 0 where all are 0, too",
  ],
  [
    "shared/core/plan/shortage.ts",
    "0",
    "0 + 1",
    "it is only looked for longer, in vain",
    "const unplaced = kinds.reduce(",
  ],
  [
    "shared/core/plan/shortage.ts",
    "found.members === wanted.count || kinds.length < 2 || unplaced === 0",
    "(found.members === wanted.count || kinds.length < 2) && (unplaced === 0)",
    "it is only looked for longer, in vain",
  ],
  [
    "shared/core/plan/shortage.ts",
    "found.members === wanted.count || kinds.length < 2",
    "(found.members === wanted.count) && (kinds.length < 2)",
    "it is only looked for longer, in vain",
  ],
  ["shared/core/plan/shortage.ts", "wanted <= 0", "(wanted) < (0)", "of no members all find room"],
  ["shared/core/plan/surplus.ts", "lacks <= 0", "(lacks) < (0)", "a place for nobody is none"],
  [
    "shared/core/plan/surplus.ts",
    "this.#search.fill(alike, { region: [node], count: Math.max(0, more) }) > 0",
    "(this.#search.fill(alike, { region: [node], count: Math.max(0, more) })) >= (0)",
    "where nobody comes there are the siblings of before",
  ],
  [
    "shared/core/plan/regions.ts",
    "0",
    "0 + 1",
    "one sibling is in one domain",
    "if (siblings.length > 0) return [bounds",
  ],
  [
    "shared/core/plan/shortage.ts",
    "0",
    "0 + 1",
    "all resources begin alike",
    "amount, nodes: 0",
  ],
];
