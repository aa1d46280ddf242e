import { assertEquals } from "@std/assert";
import type { Candidate } from "../../../shared/core/room/fit.ts";
import { type Reservable, reserve, type Reserved } from "../../../shared/core/room/reservation.ts";
import { alikeOf, type Amounts, groundIn, members, resources } from "../../support/rooms.ts";

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
    id: "a node of which nothing is free is no nearer to it where it is not open at all",
    open: { b: { gpu: 0 } },
    capacity: { b: { gpu: 4 }, a: { gpu: 4 } },
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
    id: "of nodes of which as large a share is free the first, whatever they have",
    open: { a: { gpu: 2 }, b: { gpu: 1 } },
    capacity: { a: { gpu: 8 }, b: { gpu: 4 } },
    candidates: members(1, { gpu: 4 }),
    reserved: { a: 1 },
  },
  {
    id: "the node of which the larger share is free, though less is free there",
    open: { a: { gpu: 3 }, b: { gpu: 2 } },
    capacity: { a: { gpu: 8 }, b: { gpu: 4 } },
    candidates: members(1, { gpu: 4 }),
    reserved: { b: 1 },
  },
  {
    id: "the nearest node also by a resource of which it has one",
    open: { a: { gpu: 0, cpu: 2 }, b: { gpu: 1, cpu: 1 } },
    capacity: { a: { gpu: 1, cpu: 4 }, b: { gpu: 1, cpu: 4 } },
    candidates: members(1, { gpu: 1, cpu: 4 }),
    reserved: { b: 1 },
  },
  ...[Infinity, 0].map((storage): Case => ({
    id: `the nearest node, whatever else it has that is ${storage ? "not counted" : "not there"}`,
    open: { a: { gpu: 1, storage }, b: { gpu: 3, storage } },
    capacity: { a: { gpu: 4, storage }, b: { gpu: 4, storage } },
    candidates: members(1, { gpu: 4, storage: storage ? 1 : 0 }),
    reserved: { b: 1 },
  })),
  {
    id: "no node that has just come, and of which nothing is known to be free, before others",
    open: { a: { gpu: 0 } },
    capacity: { a: { gpu: 4 }, b: { gpu: 4 } },
    candidates: members(1, { gpu: 4 }),
    reserved: { a: 1 },
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
    const rooms = roomsOf(open, capacity);
    const found = reserve(alikeOf(candidates, rooms.capacity), { ...rooms, enough });
    assertEquals(countByNode(found), reserved);
    if (found.length === 0) {
      assertEquals(rooms.open.rooms, groundIn(open).rooms);
      assertEquals(rooms.capacity.rooms, groundIn(capacity).rooms);
    }
  });
}

Deno.test("reservation: it is taken from both rooms, also what is still to become free", () => {
  const rooms = roomsOf({ a: { gpu: 1 } }, { a: { gpu: 4 } });
  reserve(alikeOf(members(3, { gpu: 1 }), rooms.capacity), { ...rooms, enough: 3 });
  assertEquals(rooms.open.roomOf("a"), resources({ gpu: -2 }));
  assertEquals(rooms.capacity.roomOf("a"), resources({ gpu: 1 }));
});

Deno.test("reservation: what others have taken stays taken where a gang reserves nothing", () => {
  const rooms = roomsOf({ a: { gpu: 2 } }, { a: { gpu: 4 } });
  const [one] = alikeOf(members(1, { gpu: 1 }), rooms.capacity);
  rooms.open.takeAt("a", one!, 1);
  assertEquals(reserve([one!], { ...rooms, enough: 5 }), []);
  assertEquals(rooms.open.roomOf("a"), resources({ gpu: 1 }));
  rooms.capacity.takeAt("a", one!, 1);
  rooms.capacity.takeAt("a", one!, 1);
  assertEquals(reserve([one!], { ...rooms, enough: 5 }), []);
  assertEquals(rooms.capacity.roomOf("a"), resources({ gpu: 2 }));
});

Deno.test("reservation: two gangs do not reserve the same room", () => {
  const rooms = roomsOf({ a: { gpu: 0 } }, { a: { gpu: 4 } });
  const reserved = (count: number) =>
    reserve(alikeOf(members(count, { gpu: 1 }), rooms.capacity), { ...rooms, enough: count });
  assertEquals([3, 2, 1].map((count) => countByNode(reserved(count))), [{ a: 3 }, {}, { a: 1 }]);
});

function roomsOf(open: Record<string, Amounts>, capacity: Record<string, Amounts>): Reservable {
  return { open: groundIn(open), capacity: groundIn(capacity) };
}

function countByNode(reserved: readonly Reserved[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { node, count } of reserved) counts[node] = (counts[node] ?? 0) + count;
  return counts;
}
