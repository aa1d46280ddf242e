import { assert, assertEquals } from "@std/assert";
import type { Kind } from "../../../shared/core/room/ground.ts";
import { Timetable } from "../../../shared/core/room/timetable.ts";
import { type Amounts, groundIn, resources } from "../../support/rooms.ts";

const now = 100;

/** What is free now. */
function tableOf(free: Record<string, Amounts>): Timetable {
  return new Timetable(groundIn(free), now);
}

function gpus(node: string, count: number, each = 1) {
  return { node, requests: resources({ gpu: each }), count };
}

const one: Kind = { key: "one", requests: resources({ gpu: 1 }), mayRunOn: () => true };

Deno.test("timetable: what is asked of one node is there together, or not", () => {
  const table = tableOf({ a: { gpu: 3 } });
  const span = { from: now, to: Infinity };
  assert(table.has([gpus("a", 2), gpus("a", 1)], span));
  assert(!table.has([gpus("a", 2), gpus("a", 2)], span));
  assert(!table.has([gpus("gone", 1)], span));
});

Deno.test("timetable: more is kept than will be there where it is so on one node", () => {
  const table = tableOf({ a: { gpu: 1 }, b: { gpu: 1 } });
  const span = { id: "later", from: now + 10, to: now + 20, isUnchecked: true };
  table.keep([gpus("a", 1)], span);
  assert(!table.isOverdrawn());
  table.keep([gpus("b", 2)], span);
  assert(table.isOverdrawn());
});

Deno.test("timetable: what ends leaves as much as its members ask for together", () => {
  const table = tableOf({ a: { gpu: 4 } });
  table.take([gpus("a", 2, 2)], { id: "first", to: now + 10 });
  const amounts = resources({ gpu: 4 });
  const place = () => [];
  const slot = table.earliest({ length: 5, latest: Infinity, amounts, place });
  assertEquals(slot?.startsAt, now + 10);
});

Deno.test("timetable: where nothing ends there is no start", () => {
  const amounts = resources({ gpu: 1 });
  for (const isKept of [false, true]) {
    const table = tableOf({ a: { gpu: 2 } });
    if (isKept) table.keep([gpus("a", 1)], { id: "first", from: now, to: Infinity });
    else table.take([gpus("a", 1)], { id: "first", to: Infinity });
    const slot = table.earliest({ length: 5, latest: Infinity, amounts, place: () => [] });
    assertEquals(slot, undefined);
  }
});

Deno.test("timetable: there is room until something that is kept begins, and again when that is cancelled", () => {
  const table = tableOf({ a: { gpu: 2 }, b: { gpu: 1 } });
  const soon = table.keep([gpus("a", 1)], { id: "soon", from: now + 10, to: now + 20 });
  const later = table.keep([gpus("b", 1)], { id: "later", from: now + 30, to: now + 40 });
  const room = (to: number) => table.until(to).roomFor(one);
  const roomUntil = (to: number) => table.roomUntil(one, { to });
  for (const to of [5, 10, 11, 25, 30, 31, 50]) assertEquals(roomUntil(now + to), room(now + to));
  assertEquals([room(now + 10), room(now + 11), room(now + 31)], [3, 2, 1]);
  assertEquals(table.roomUntil(one, { to: now + 31, own: soon }), 2);
  table.cancel(soon);
  assertEquals([room(now + 11), room(now + 31)], [3, 2]);
  assertEquals([roomUntil(now + 11), roomUntil(now + 31)], [3, 2]);
  table.cancel(later);
  assertEquals(room(now + 31), 3);
});

Deno.test("timetable: what is kept later is in nobody's way that ends when it begins, whoever was looked for before", () => {
  const table = tableOf({ a: { gpu: 1 } });
  table.keep([gpus("a", 1)], { id: "later", from: now + 10, to: now + 20 });
  const has = (to: number) => table.has([gpus("a", 1)], { from: now, to: now + to });
  assertEquals([has(15), has(10), has(11)], [false, true, false]);
});
