import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import fc from "fast-check";
import type { Candidate, OwnRoom } from "../../shared/core/room/fit.ts";
import { groundOf } from "../../shared/core/room/ground.ts";
import { type Reservable, reserve } from "../../shared/core/room/reservation.ts";
import { alikeOf, roomOf } from "../support/rooms.ts";
import { runs } from "./runs.ts";

const names = ["cpu", "gpu"];

/** Of each node what it has, and how much of that is taken. */
const cluster = fc.array(
  fc.record({
    has: fc.tuple(fc.nat(12), fc.nat(12)),
    taken: fc.tuple(fc.nat(12), fc.nat(12)),
  }),
  { maxLength: 6 },
).map((list): { open: OwnRoom; capacity: OwnRoom } => {
  const room = (free: (node: typeof list[number], resource: number) => number) =>
    roomOf(list.map((node, index) => ({
      name: `n${index}`,
      free: new Map(names.map((name, resource) => [name, free(node, resource)])),
    })));
  return {
    capacity: room(({ has }, resource) => has[resource]!),
    open: room(({ has, taken }, resource) => Math.max(0, has[resource]! - taken[resource]!)),
  };
});

const kinds = fc.array(
  fc.record({
    requests: fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 5 })),
    banned: fc.subarray(["n0", "n1", "n2"]),
    count: fc.nat(4),
  }),
  { maxLength: 3 },
).map((list) =>
  list.flatMap(({ requests, banned, count }): Candidate[] =>
    Array.from({ length: count }, () => ({
      requests: new Map(requests.map((amount, index) => [names[index]!, amount])),
      kind: JSON.stringify([requests, banned]),
      mayRunOn: (node: string) => !banned.includes(node),
    }))
  )
);

function groundsOf({ open, capacity }: { open: OwnRoom; capacity: OwnRoom }): Reservable {
  const labelsOf = () => ({});
  return {
    open: groundOf({ free: open, labelsOf }),
    capacity: groundOf({ free: capacity, labelsOf }),
  };
}

Deno.test("property: gangs never reserve more than the empty cluster has, and each enough or nothing", () => {
  fc.assert(
    fc.property(cluster, fc.array(kinds, { maxLength: 4 }), (rooms, gangs) => {
      const grounds = groundsOf(rooms);
      for (const candidates of gangs) {
        const before = [...grounds.open.rooms, ...grounds.capacity.rooms];
        const alike = alikeOf(candidates, grounds.capacity);
        const found = reserve(alike, { ...grounds, enough: candidates.length });
        if (found.length === 0) {
          assertEquals([...grounds.open.rooms, ...grounds.capacity.rooms], before);
        } else {
          assertEquals(found.reduce((sum, { count }) => sum + count, 0), candidates.length);
        }
        for (const { node } of found) assert(candidates.some((one) => one.mayRunOn(node)));
        for (const free of grounds.capacity.rooms) {
          for (const amount of free!.values()) assertGreaterOrEqual(amount, 0);
        }
      }
    }),
    runs(1000),
  );
});

Deno.test("property: a gang of equal members reserves exactly if the empty cluster could take it", () => {
  const amount = fc.integer({ min: 1, max: 5 });
  fc.assert(
    fc.property(cluster, fc.tuple(amount, amount), amount, (rooms, [cpu, gpu], wanted) => {
      const member = {
        requests: new Map([["cpu", cpu], ["gpu", gpu]]),
        kind: "k",
        mayRunOn: () => true,
      };
      let fits = 0;
      for (const free of rooms.capacity.values()) {
        fits += Math.min(Math.floor(free.get("cpu")! / cpu), Math.floor(free.get("gpu")! / gpu));
      }
      const grounds = groundsOf(rooms);
      const alike = alikeOf(Array(wanted).fill(member), grounds.capacity);
      assertEquals(reserve(alike, { ...grounds, enough: wanted }).length > 0, fits >= wanted);
    }),
    runs(1000),
  );
});
