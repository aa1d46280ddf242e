/**
 * Faults that change nothing anybody could notice.
 *
 * @module
 */
import type { Mutant } from "./instrument.ts";

/** In which file, what was there and stands there now, why that is as good, and on which line alone, by a part of it. */
export const equivalent:
  readonly (readonly [file: string, was: string, is: string, why: string, on?: string])[] = [
    [
      "shared/core/attend/advance.ts",
      "0",
      "0 + 1",
      "nothing happens in the first millisecond of 1970",
      "coming.get(uid) ?? 0",
    ],
    [
      "shared/core/attend/surplus.ts",
      "0",
      "0 + 1",
      "nothing happens in the first millisecond of 1970",
      "coming.get(uid) ?? 0",
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
      "shared/core/record/world_writer.ts",
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
      "shared/core/room/amount.ts",
      "1",
      "1 + 1",
      "whatever is below 1024 has no unit",
      "Math.max(1, amount)",
    ],
    ["shared/core/room/domains.ts", "1", "1 + 1", "any number below 0 will do", "return -1"],
    ["shared/core/room/domains.ts", "1", "1 + 1", "any number below 0 will do", "?? -1"],
    [
      "shared/core/room/fit.ts",
      "free >= asks",
      "(free) > (asks)",
      "one more node is added where it is enough already",
    ],
    [
      "shared/core/room/fit.ts",
      "fits <= 0",
      "(fits) < (0)",
      "one more resource is looked at where there is no room",
    ],
    ["shared/core/room/ground.ts", "200", "200 + 1", "how much is remembered"],
    [
      "shared/core/room/ground.ts",
      "0",
      "0 + 1",
      "amounts are whole numbers, and of none the share is that of 1",
      "largest.get(resource) ?? 0",
    ],
    [
      "shared/core/room/ground.ts",
      "number < this.size",
      "(number) <= (this.size)",
      "beyond the last number there is no node",
      "while (number < this.size) ",
    ],
    [
      "shared/core/room/ground.ts",
      "this.#changes.length > 20 * this.size + remembered",
      "(this.#changes.length) >= (20 * this.size + remembered)",
      "how much is remembered",
    ],
    ["shared/core/room/ground.ts", "20", "20 + 1", "how much is remembered"],
    [
      "shared/core/room/ground.ts",
      "view.stale.size > 0",
      "(view.stale.size) >= (0)",
      "where nothing has moved the order is made again as it was",
    ],
    [
      "shared/core/room/ground.ts",
      "node < this.size",
      "(node) <= (this.size)",
      "beyond the last number there is no node",
    ],
    [
      "shared/core/room/ground.ts",
      "entries.size > remembered",
      "(entries.size) >= (remembered)",
      "how much is remembered",
    ],
    [
      "shared/core/room/ground.ts",
      "next < b.length",
      "(next) <= (b.length)",
      "what is not there comes before nothing",
      "while (next < b.length && ",
    ],
    [
      "shared/core/room/ground.ts",
      "order(b[next] , item) < 0",
      "(order(b[next] , item)) <= (0)",
      "no two nodes have one place",
    ],
    [
      "shared/core/room/profile.ts",
      "change.count < 0",
      "(change.count) <= (0)",
      "nothing changes by 0",
    ],
    ["shared/core/room/profile.ts", "0", "0 + 1", "nothing changes by 0", "change.count < 0"],
    ["shared/core/room/profile.ts", "count > 0", "(count) >= (0)", "nothing changes by 0"],
    ["shared/core/room/profile.ts", "count < 0", "(count) <= (0)", "nothing changes by 0"],
    ["shared/core/room/profile.ts", "0", "0 + 1", "nothing changes by 0", "count < 0 ?"],
    [
      "shared/core/room/profile.ts",
      "1",
      "1 + 1",
      "how much a search is said to cost",
      "steps += 1",
    ],
    [
      "shared/core/room/profile.ts",
      "span.from <= this.#began",
      "(span.from) < (this.#began)",
      "it is only quicker",
    ],
    [
      "shared/core/room/profile.ts",
      "this.#states.length > changes",
      "(this.#states.length) >= (changes)",
      "it is as long already",
    ],
    [
      "shared/core/room/profile.ts",
      "this.#known.end > changes",
      "(this.#known.end) >= (changes)",
      "it is worked out again",
    ],
    [
      "shared/core/room/profile.ts",
      "states[first - 1] .at <= from",
      "(states[first - 1] .at) < (from)",
      "it is worked out again",
    ],
    [
      "shared/core/room/profile.ts",
      "states[end] .at >= to",
      "(states[end] .at) > (to)",
      "it is worked out again",
    ],
    [
      "shared/core/room/profile.ts",
      "amount >= amountOf(lesser ?? least, resource)",
      "(amount) > (amountOf(lesser ?? least, resource))",
      "it is set to what it is",
    ],
    [
      "shared/core/room/timetable.ts",
      "0",
      "0 + 1",
      "how much a search is said to cost",
      "steps: 0",
    ],
    [
      "shared/core/room/timetable.ts",
      "this.#begins[0].at < to",
      "(this.#begins[0].at) <= (to)",
      "what begins at the end takes nothing before it",
    ],
    [
      "shared/core/room/timetable.ts",
      "to < Infinity",
      "(to) <= (Infinity)",
      "nothing is after the end of time",
      "if (to < Infinity) this.#add(",
    ],
    [
      "shared/core/room/timetable.ts",
      "to < Infinity",
      "(to) <= (Infinity)",
      "nothing is after the end of time",
      "return to < Infinity",
    ],
    [
      "shared/core/room/timetable.ts",
      "chance.at < booking.from",
      "(chance.at) <= (booking.from)",
      "an earlier start is looked for once more, in vain",
    ],
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
export function isEquivalent(mutant: Mutant): boolean {
  return equivalent.some((entry) => isMeant(entry, mutant));
}

/** Whether an entry of the list speaks of a fault. */
export function isMeant(
  [file, was, is, _why, on = ""]: typeof equivalent[number],
  mutant: Mutant,
): boolean {
  return mutant.file === file && mutant.original === was && mutant.mutated === is &&
    mutant.on.includes(on);
}
