import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Resources } from "../../shared/core/room/fit.ts";
import { type Change, Profile, type Span } from "../../shared/core/room/profile.ts";
import { runs } from "./runs.ts";

const began = 100;
const requests: Resources = new Map([["gpu", 1]]);

const at = fc.integer({ min: began, max: began + 8 });
const event = fc.oneof(
  fc.record({ is: fc.constant("comes" as const), at, count: fc.integer({ min: -3, max: 3 }) }),
  fc.record({ is: fc.constant("goes" as const), index: fc.nat() }),
  fc.record({ is: fc.constant("now" as const), gpus: fc.nat(4) }),
  fc.record({
    is: fc.constant("asks" as const),
    from: at,
    length: fc.option(fc.integer({ min: 1, max: 8 }), { nil: Infinity }),
  }),
);

/** The least GPUs at any moment of that time, each moment counted anew. */
function leastOf(changes: readonly Change[], { gpus, from, to }: Span & { gpus: number }): number {
  const freeAt = (time: number) =>
    changes.reduce((sum, { at, count }) => at <= time ? sum + count : sum, gpus);
  const times = changes.map(({ at }) => at).filter((at) => at > from && at < to);
  return Math.min(...[from, ...times].map(freeAt));
}

Deno.test("property: what is known of a node from before is what it has", () => {
  let asked = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const profile = new Profile(began, { steps: 0 });
      const changes: Change[] = [];
      let now: Resources = new Map([["gpu", 4]]);
      for (const event of events) {
        if (event.is === "now") now = new Map([["gpu", event.gpus]]);
        else if (event.is === "goes") {
          const [gone] = changes.splice(event.index % (changes.length || 1), 1);
          if (gone) profile.remove(gone);
        } else if (event.is === "comes") {
          // What is there already does not come: it is taken at once, at the earliest.
          const { at, count } = event;
          if (count === 0 || (count > 0 && at === began)) continue;
          const change = { at, node: 0, requests, count, id: "a" };
          changes.push(change);
          profile.add(change);
        } else {
          const span = { from: event.from, to: event.from + event.length };
          const gpus = now.get("gpu")!;
          assertEquals(profile.least(now, span).get("gpu"), leastOf(changes, { ...span, gpus }));
          asked++;
        }
      }
    }),
    runs(2000),
  );
  assert(asked > runs(1000).numRuns, "hardly anything was asked");
});
