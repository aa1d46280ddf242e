import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { placesOf, planned } from "../support/planned.ts";
import { runs } from "./runs.ts";

const kind = JSON.stringify([1, undefined]);

/** Nodes of two racks, what is free there, and how many more members the scheduler takes; null: it has refused none. */
const nodes = fc.array(
  fc.record({
    free: fc.nat(5),
    rack: fc.constantFrom("r1", "r2"),
    more: fc.option(fc.nat(3)),
  }),
  { minLength: 1, maxLength: 6 },
);

Deno.test("property: members find room where as many are taken, never more on a node, and each node has some before one has more", () => {
  const asked = fc.record({ nodes, count: fc.integer({ min: 1, max: 8 }), inRack: fc.boolean() });
  fc.assert(
    fc.property(
      asked,
      fc.option(fc.integer({ min: 1, max: 3 })),
      ({ nodes, count, inRack }, each) => {
        const known = nodes.flatMap(({ more }, at) =>
          more === null ? [] : [[`n${at}`, more] as const]
        );
        const refusing = { more: new Map(known), ...(each !== null && { each }) };
        const { g } = planned({
          nodes: Object.fromEntries(
            nodes.map(({ free, rack }, at) => [`n${at}`, `${free} ${rack}`]),
          ),
          gangs: [{
            name: "g",
            members: [{ count }],
            ...(inRack && { topology: { required: "rack" } }),
            group: { refused: known.length > 0 ? new Map([[kind, refusing]]) : new Map() },
          }],
        });
        const most = nodes.map(({ free, more }) => Math.min(free, more ?? Infinity));
        const roomIn = (rack?: string) =>
          most.reduce((sum, some, at) => sum + (rack && nodes[at]!.rack !== rack ? 0 : some), 0);
        const room = inRack ? Math.max(roomIn("r1"), roomIn("r2")) : roomIn();
        assertEquals(g!.taken !== undefined, room >= count);
        const places = placesOf(g!);
        for (const [node, some] of Object.entries(places)) {
          assertLessOrEqual(some, most[Number(node.slice(1))]!);
        }
        const isMore = Object.values(places).some((some) => some > (each ?? Infinity));
        if (!isMore || known.length === 0) return;
        const racks = new Set(
          Object.keys(places).map((node) => nodes[Number(node.slice(1))]!.rack),
        );
        for (const [at, some] of most.entries()) {
          const isThere = !inRack || racks.has(nodes[at]!.rack);
          assert(!isThere || (places[`n${at}`] ?? 0) >= Math.min(each!, some), `n${at} has fewer`);
        }
      },
    ),
    runs(500),
  );
});
