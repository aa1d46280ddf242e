import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import fc from "fast-check";
import { type Candidate, giveBack, type Room } from "../../shared/core/room/fit.ts";
import { reserve } from "../../shared/core/room/reservation.ts";
import { runs } from "./runs.ts";
import { roomOf } from "../support/rooms.ts";

const names = ["cpu", "gpu"];

/** Of each node what it has, and how much of that is taken. */
const cluster = fc.array(
  fc.record({
    has: fc.tuple(fc.nat(12), fc.nat(12)),
    taken: fc.tuple(fc.nat(12), fc.nat(12)),
  }),
  { maxLength: 6 },
).map((list): { open: Room; capacity: Room } => {
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
  list.flatMap(({ requests, banned, count }, kind): Candidate[] =>
    Array.from({ length: count }, () => ({
      requests: new Map(requests.map((amount, index) => [names[index]!, amount])),
      kind: String(kind),
      mayRunOn: (node: string) => !banned.includes(node),
    }))
  )
);

function copyOf(rooms: { open: Room; capacity: Room }): { open: Room; capacity: Room } {
  return structuredClone(rooms);
}

Deno.test("property: gangs never reserve more than the empty cluster has, and each enough or nothing", () => {
  fc.assert(
    fc.property(cluster, fc.array(kinds, { maxLength: 4 }), (rooms, gangs) => {
      for (const candidates of gangs) {
        const before = copyOf(rooms);
        const uses = reserve(candidates, rooms, candidates.length);
        if (uses.length === 0) assertEquals(rooms, before);
        else assertEquals(uses.reduce((sum, { count }) => sum + count, 0), candidates.length);
        for (const { node, requests } of uses) {
          assert(candidates.some((one) => one.requests === requests && one.mayRunOn(node)));
        }
        for (const free of rooms.capacity.values()) {
          for (const amount of free.values()) assertGreaterOrEqual(amount, 0);
        }
      }
    }),
    runs(1000),
  );
});

Deno.test("property: what was reserved can be given back", () => {
  fc.assert(
    fc.property(cluster, kinds, (rooms, candidates) => {
      const before = copyOf(rooms);
      const uses = reserve(candidates, rooms, candidates.length);
      for (const room of Object.values(rooms)) giveBack(room, uses);
      assertEquals(rooms, before);
    }),
    runs(500),
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
      const uses = reserve(Array(wanted).fill(member), rooms, wanted);
      assertEquals(uses.length > 0, fits >= wanted);
    }),
    runs(1000),
  );
});
