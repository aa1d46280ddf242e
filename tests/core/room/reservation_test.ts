import { assertEquals } from "@std/assert";
import type { Candidate, Use } from "../../../shared/core/room/fit.ts";
import { reserve } from "../../../shared/core/room/reservation.ts";
import { type Amounts, members, nodes } from "../../support/rooms.ts";

interface Case {
  id: string;
  /** Free now; what is less than `capacity` is to become free. */
  open: Record<string, Amounts>;
  capacity: Record<string, Amounts>;
  candidates: Candidate[];
  enough?: number;
  /** Members by node; none: nothing is reserved. */
  reserved: Record<string, number>;
}

const cases: Case[] = [
  {
    id: "what is free now, before what is not",
    open: { a: { gpu: 1 }, b: { gpu: 2 } },
    capacity: { a: { gpu: 4 }, b: { gpu: 4 } },
    candidates: members(3, { gpu: 1 }),
    reserved: { a: 1, b: 2 },
  },
  {
    id: "for the others the node that is nearest to being free",
    open: { a: { gpu: 1 }, b: { gpu: 3 } },
    capacity: { a: { gpu: 4 }, b: { gpu: 4 } },
    candidates: members(1, { gpu: 4 }),
    reserved: { b: 1 },
  },
  {
    id: "several nodes where one is not enough",
    open: { a: { gpu: 0 }, b: { gpu: 1 }, c: { gpu: 3 } },
    capacity: { a: { gpu: 4 }, b: { gpu: 4 }, c: { gpu: 4 } },
    candidates: members(2, { gpu: 4 }),
    reserved: { b: 1, c: 1 },
  },
  {
    id: "only nodes that its members may run on",
    open: { other: { gpu: 3 }, own: { gpu: 0 } },
    capacity: { other: { gpu: 4 }, own: { gpu: 4 } },
    candidates: members(2, { gpu: 2 }, /own/),
    reserved: { own: 2 },
  },
  {
    id: "nothing for a gang that the empty cluster could not take",
    open: { a: { gpu: 2 } },
    capacity: { a: { gpu: 4 } },
    candidates: members(5, { gpu: 1 }),
    reserved: {},
  },
  {
    id: "nothing for a member that no empty node could take",
    open: { a: { gpu: 4 }, b: { gpu: 4 } },
    capacity: { a: { gpu: 4 }, b: { gpu: 4 } },
    candidates: members(1, { gpu: 8 }),
    reserved: {},
  },
  {
    id: "nothing for a resource that there is not",
    open: { a: { gpu: 4 } },
    capacity: { a: { gpu: 4 } },
    candidates: members(1, { fpga: 1 }),
    reserved: {},
  },
  {
    id: "as many as are enough",
    open: { a: { gpu: 0 } },
    capacity: { a: { gpu: 4 } },
    candidates: members(5, { gpu: 1 }),
    enough: 3,
    reserved: { a: 3 },
  },
  {
    id: "every kind of member",
    open: { a: { gpu: 0, cpu: 1 }, b: { gpu: 0, cpu: 0 } },
    capacity: { a: { gpu: 2, cpu: 8 }, b: { gpu: 0, cpu: 8 } },
    candidates: [...members(1, { cpu: 1 }), ...members(2, { gpu: 1, cpu: 4 })],
    reserved: { a: 2, b: 1 },
  },
  {
    id: "room that is free, but reserved for members of another kind, only once",
    open: { a: { gpu: 1 } },
    capacity: { a: { gpu: 2 } },
    candidates: [...members(1, { gpu: 2 }), ...members(1, { gpu: 1 })],
    reserved: {},
  },
];

for (const { id, open, capacity, candidates, enough = candidates.length, reserved } of cases) {
  Deno.test(`reservation: ${id}`, () => {
    const rooms = { open: nodes(open), capacity: nodes(capacity) };
    const uses = reserve(candidates, rooms, enough);
    assertEquals(countByNode(uses), reserved);
    if (uses.length === 0) assertEquals(rooms, { open: nodes(open), capacity: nodes(capacity) });
  });
}

Deno.test("reservation: it is taken from both rooms, also what is still to become free", () => {
  const rooms = { open: nodes({ a: { gpu: 1 } }), capacity: nodes({ a: { gpu: 4 } }) };
  reserve(members(3, { gpu: 1 }), rooms, 3);
  assertEquals(rooms, { open: nodes({ a: { gpu: -2 } }), capacity: nodes({ a: { gpu: 1 } }) });
});

Deno.test("reservation: two gangs do not reserve the same room", () => {
  const rooms = { open: nodes({ a: { gpu: 0 } }), capacity: nodes({ a: { gpu: 4 } }) };
  assertEquals(countByNode(reserve(members(3, { gpu: 1 }), rooms, 3)), { a: 3 });
  assertEquals(reserve(members(2, { gpu: 1 }), rooms, 2), []);
  assertEquals(countByNode(reserve(members(1, { gpu: 1 }), rooms, 1)), { a: 1 });
});

function countByNode(uses: readonly Use[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { node, count } of uses) counts[node] = (counts[node] ?? 0) + count;
  return counts;
}
