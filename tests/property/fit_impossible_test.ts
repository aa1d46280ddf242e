import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Candidate, fitting, type OwnRoom, take } from "../../shared/core/room/fit.ts";
import { impossible } from "../../shared/core/room/fit_impossible.ts";
import { runs } from "./runs.ts";
import { roomOf } from "../support/rooms.ts";

const names = ["cpu", "gpu"];

const capacity = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 3 }).map((list) =>
  roomOf(list.map((amounts, index) => ({
    name: `n${index}`,
    free: new Map(names.map((name, resource) => [name, amounts[resource]!])),
  })))
);

const candidates = fc.array(
  fc.record({
    requests: fc.tuple(fc.nat(4), fc.nat(4)),
    banned: fc.subarray(["n0", "n1"]),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 2 },
).map((kinds) =>
  kinds.flatMap(({ requests, banned, count }, kind): Candidate[] =>
    Array.from({ length: count }, () => ({
      requests: new Map(requests.map((amount, index) => [names[index]!, amount])),
      kind: String(kind),
      mayRunOn: (node) => !banned.includes(node),
    }))
  )
);

/** Tries every node for every member. */
function canFit(members: readonly Candidate[], room: OwnRoom, wanted: number): boolean {
  if (wanted <= 0) return true;
  const [first, ...rest] = members;
  if (!first || members.length < wanted) return false;
  const { requests } = first;
  for (const [node, free] of room) {
    if (!first.mayRunOn(node) || fitting(requests, free) === 0) continue;
    take(room, node, { requests });
    const fits = canFit(rest, room, wanted - 1);
    take(room, node, { requests, sign: -1 });
    if (fits) return true;
  }
  return canFit(rest, room, wanted);
}

const none = new Map();

Deno.test("property: a gang that is called impossible fits in no way, and both numbers say so", () => {
  fc.assert(
    fc.property(capacity, candidates, fc.nat(6), (room, members, needed) => {
      const why = impossible(
        [{ candidates: members, needed, minResources: none, own: none }],
        room,
      );
      if (!why) return;
      assert(why.asks > why.largest);
      assert(!canFit(members, room, Math.min(needed, members.length)));
    }),
    runs(1000),
  );
});

Deno.test("property: a gang of equal members is called impossible exactly if it is", () => {
  fc.assert(
    fc.property(capacity, candidates, (room, all) => {
      const members = all.filter(({ kind }) => kind === "0");
      const needed = members.length;
      const why = impossible(
        [{ candidates: members, needed, minResources: none, own: none }],
        room,
      );
      assertEquals(why === undefined, canFit(members, room, needed));
    }),
    runs(1000),
  );
});
