import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { learntRunTime } from "../../../shared/core/gang/learnt_run_time.ts";
import { runs } from "../../property/runs.ts";

const table: [about: string, lengths: number[], expect: ReturnType<typeof learntRunTime>][] = [
  ["of none nothing is known", [], undefined],
  ["of one that it takes as long", [90], { seconds: 90, source: "learnt", runs: 1, median: 90 }],
  [
    "of ten what nine took at most",
    [10, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    { seconds: 9, source: "learnt", runs: 10, median: 5 },
  ],
  ["no run takes no time", [0, 0.2], { seconds: 1, source: "learnt", runs: 2, median: 1 }],
];

for (const [about, lengths, expect] of table) {
  Deno.test(`learnt run time: ${about}`, () => assertEquals(learntRunTime(lengths), expect));
}

Deno.test("property: nine of ten runs took no longer than what is learnt of them", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1 }), (lengths) => {
      const { seconds, median } = learntRunTime(lengths)!;
      assert(lengths.filter((length) => length <= seconds).length >= 0.9 * lengths.length);
      assert(lengths.includes(seconds));
      assert(median! <= seconds);
    }),
    runs(100),
  );
});
