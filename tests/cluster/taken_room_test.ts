import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { TakenRoom } from "../../shared/cluster/taken_room.ts";

Deno.test("taken room: whatever pods come and go, those of a lower priority are found where there are any", () => {
  const event = fc.record({
    uid: fc.constantFrom("a", "b", "c", "d"),
    priority: fc.option(fc.integer({ min: -1, max: 2 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const taken = new TakenRoom();
      const expected = new Map<string, number>();
      for (const { uid, priority } of events) {
        if (priority === undefined) {
          taken.leave(uid);
          expected.delete(uid);
        } else {
          taken.take(uid, { node: uid, requests: new Map(), priority, staysForGood: false });
          expected.set(uid, priority);
        }
        for (const limit of [-2, 0, 1, 2, 3]) {
          const below = [...expected].filter(([, priority]) => priority < limit);
          const nodes = [...taken.below(limit)].map(({ node }) => node);
          assertEquals(nodes.sort(), below.map(([uid]) => uid).sort());
          assertEquals(taken.hasBelow(limit), below.length > 0);
        }
        assertEquals(new Map([...taken].map(([uid, { priority }]) => [uid, priority])), expected);
      }
    }),
    { seed: 1, numRuns: 200 },
  );
});
