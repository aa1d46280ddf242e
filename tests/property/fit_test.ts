import { assertEquals, assertGreaterOrEqual, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import type { Candidate, Resources } from "../../shared/core/room/fit.ts";
import { runs } from "./runs.ts";
import { place, roomOf } from "../support/rooms.ts";

const names = ["cpu", "memory", "gpu"];

function amounts(max: number): fc.Arbitrary<Resources> {
  const amount = fc.integer({ min: 0, max });
  return fc.tuple(amount, amount, amount).map((list) =>
    new Map(list.map((amount, index) => [names[index]!, amount]))
  );
}

const nodes = fc.array(amounts(12), { maxLength: 6 })
  .map((list) => list.map((free, index) => ({ name: `n${index}`, free })));

const candidates: fc.Arbitrary<Candidate[]> = fc.array(
  fc.record({ requests: amounts(6), banned: fc.subarray(["n0", "n1", "n2"]), count: fc.nat(4) }),
  { maxLength: 4 },
).map((kinds) =>
  kinds.flatMap(({ requests, banned, count }, kind) =>
    Array.from({ length: count }, () => ({
      requests,
      kind: String(kind),
      mayRunOn: (node: string) => !banned.includes(node),
    }))
  )
);

const enough = fc.nat(16);

Deno.test("property: a fit never takes more than the room, and a part of a gang takes none", () => {
  fc.assert(
    fc.property(nodes, candidates, enough, (free, wanted, enough) => {
      const room = roomOf(free);
      const { fit } = place(wanted, { room, enough });
      assertEquals(fit.of, Math.min(enough, wanted.length));
      assertLessOrEqual(fit.members, fit.of);
      for (const left of room.values()) {
        for (const amount of left.values()) assertGreaterOrEqual(amount, 0);
      }
      if (fit.members < fit.of) assertEquals(room, roomOf(free));
    }),
    runs(1000),
  );
});

Deno.test("property: members that a fit names could each have been placed alone", () => {
  fc.assert(
    fc.property(nodes, candidates, (free, wanted) => {
      const alone = wanted.filter((one) =>
        place([one], { room: roomOf(free), enough: 1 }).fit.members === 1
      ).length;
      assertLessOrEqual(
        place(wanted, { room: roomOf(free), enough: wanted.length }).fit.members,
        alone,
      );
    }),
    runs(500),
  );
});

Deno.test("property: equal members on equal nodes fit as many times as arithmetic says", () => {
  const size = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(fc.nat(5), fc.nat(30), size, fc.nat(20), (count, free, each, wanted) => {
      const room = roomOf(
        Array.from({ length: count }, (_, index) => ({
          name: `n${index}`,
          free: new Map([["gpu", free]]),
        })),
      );
      const member = { requests: new Map([["gpu", each]]), kind: "k", mayRunOn: () => true };
      const { members } = place(Array(wanted).fill(member), { room, enough: wanted }).fit;
      assertEquals(members, Math.min(wanted, count * Math.floor(free / each)));
    }),
    runs(500),
  );
});

Deno.test("property: more room never fits fewer equal members", () => {
  fc.assert(
    fc.property(nodes, amounts(4), fc.nat(10), (free, requests, wanted) => {
      const member = { requests, kind: "k", mayRunOn: () => true };
      const members: Candidate[] = Array(wanted).fill(member);
      const more = free.map((node) => ({
        ...node,
        free: new Map([...node.free].map(([name, amount]) => [name, amount + 1])),
      }));
      assertGreaterOrEqual(
        place(members, { room: roomOf(more), enough: wanted }).fit.members,
        place(members, { room: roomOf(free), enough: wanted }).fit.members,
      );
    }),
    runs(500),
  );
});
