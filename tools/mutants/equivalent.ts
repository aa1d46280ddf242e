/**
 * Faults that change nothing anybody could notice.
 *
 * @module
 */
import { type Equivalent, equivalentPlans } from "./equivalent_plans.ts";
import { equivalentRooms } from "./equivalent_rooms.ts";
import { equivalentSearches } from "./equivalent_searches.ts";
import type { Mutant } from "./instrument.ts";

/** All of them. */
export const equivalent: readonly Equivalent[] = [
  ...equivalentPlans,
  ...equivalentSearches,
  ...equivalentRooms,
  [
    "shared/core/attend/advance.ts",
    "0",
    "0 + 1",
    "nothing happens in the first millisecond of 1970",
    "coming.get(uid) ?? 0",
  ],
  [
    "shared/core/attend/advance.ts",
    "0",
    "0 + 1",
    "nothing happens in the first millisecond of 1970",
    "until = 0",
  ],
  [
    "shared/core/attend/placement.ts",
    "first < nodes.length",
    "(first) <= (nodes.length)",
    "beyond the last node there is none whose places are all taken",
  ],
  [
    "shared/core/attend/plan_again.ts",
    "at < next",
    "(at) <= (next)",
    "the sooner of two times that are the same is that time",
  ],
  [
    "shared/core/attend/surplus.ts",
    "0",
    "0 + 1",
    "nothing happens in the first millisecond of 1970",
    "coming.get(uid) ?? 0",
  ],
  [
    "shared/core/attend/ungating.ts",
    "0",
    "0 + 1",
    "nothing happens in the first millisecond of 1970",
  ],
  [
    "shared/core/attend/unplaced.ts",
    "0",
    "0 + 1",
    "the sentence does not say how many nodes are offered",
    "offered: 0",
  ],
  [
    "shared/core/attend/vain_evictions.ts",
    "0",
    "0 + 1",
    "nothing happens in the first millisecond of 1970",
    "until ?? 0",
  ],
  [
    "shared/core/attend/shared_map.ts",
    "0",
    "0 + 1",
    "in which shard a key is nobody sees",
    "let hash",
  ],
  [
    "shared/core/attend/shared_map.ts",
    "1",
    "1 + 1",
    "in which shard a key is nobody sees",
    "shards - 1",
  ],
  ["shared/core/attend/shared_map.ts", "64", "64 + 1", "how many shards there are nobody sees"],
  [
    "shared/core/queue/asking.ts",
    "a.key > b.key ? 1 : 0",
    "!(a.key > b.key) ? (1) : (0)",
    "a sort looks only at who goes before the other",
  ],
  [
    "shared/core/queue/asking.ts",
    "a.key > b.key",
    "(a.key) >= (b.key)",
    "a sort looks only at who goes before the other",
  ],
  [
    "shared/core/queue/asking.ts",
    "0",
    "0 + 1",
    "a sort looks only at who goes before the other",
    "a.key < b.key",
  ],
  [
    "shared/core/queue/asking.ts",
    "1",
    "1 + 1",
    "a sort looks only at who goes before the other",
    "a.key < b.key",
  ],
  [
    "shared/core/queue/order.ts",
    "2",
    "2 + 1",
    "any number will do that is above all priorities, and leaves all as many digits",
    "2 ** 31",
  ],
  [
    "shared/core/queue/order.ts",
    "31",
    "31 + 1",
    "any number will do that is above all priorities, and leaves all as many digits",
    "2 ** 31",
  ],
  ["shared/core/queue/order.ts", "0", "0 + 1", "no gang is of 1970", "parts.time"],
  [
    "shared/core/gang/learnt_run_time.ts",
    "50",
    "50 + 1",
    "one run more is looked at",
  ],
  ["shared/core/record/recorder.ts", "0", "0 + 1", "it is set before it is read", "againAt: 0"],
  [
    "shared/core/record/heard_world.ts",
    "this.below.limit < limit",
    "(this.below.limit) <= (limit)",
    "a world that is asked again answers as before",
  ],
  [
    "shared/core/record/snapshot_reader.ts",
    "id < 0",
    "(id) <= (0)",
    "ids of calls begin with 1",
  ],
  ["shared/core/record/snapshot_reader.ts", "0", "0 + 1", "ids of calls begin with 1", "id < 0"],
  [
    "shared/core/record/amounts_writer.ts",
    "amount < Infinity",
    "(amount) <= (Infinity)",
    "JSON writes null for infinity",
  ],
  [
    "shared/core/words/start_text.ts",
    "0",
    "0 + 1",
    "who has learnt knows from how many runs",
    "runs = 0",
  ],
  [
    "shared/core/words/policy_text.ts",
    "4",
    "4 + 1",
    "how much of a text is looked at that is cut afterwards",
  ],
  [
    "shared/core/gang/composites.ts",
    "40",
    "40 + 1",
    "any number will do that is above all counts, and leaves their sums exact",
  ],
  ["shared/core/queue/order.ts", "15", "15 + 1", "all times have as many digits then, too"],
  ["shared/core/queue/order.ts", "10", "10 + 1", "all priorities have as many digits then, too"],
];

/** Whether nobody could notice the fault, however closely they looked. */
export function isEquivalent(mutant: Mutant): boolean {
  return equivalent.some((entry) => isMeant(entry, mutant));
}

/** Whether an entry of the list speaks of a fault. */
export function isMeant(
  [file, was, is, _why, on = ""]: Equivalent,
  mutant: Mutant,
): boolean {
  return mutant.file === file && mutant.original === was && mutant.mutated === is &&
    mutant.on.includes(on);
}
