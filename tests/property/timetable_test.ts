import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import fc from "fast-check";
import type { Resources, Use } from "../../shared/core/room/fit.ts";
import { type Ground, groundOf, type Kind } from "../../shared/core/room/ground.ts";
import { type Booking, type Slot, Timetable } from "../../shared/core/room/timetable.ts";
import { runs } from "./runs.ts";

const now = 100;
const requests: Resources = new Map([["gpu", 1]]);
const kind: Kind = { key: "one", requests, mayRunOn: () => true };
const nodes = ["n0", "n1", "n2"];
const nothing: Resources = new Map();

const length = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(Infinity));
/** What happens on a node: `seizes` and `claims` take and keep what may not be there. */
const event = fc.record({
  what: fc.constantFrom("ends", "takes", "seizes", "keeps", "claims", "cancels", "checks", "asks"),
  node: fc.constantFrom(...nodes),
  count: fc.integer({ min: 1, max: 4 }),
  after: fc.integer({ min: 1, max: 20 }),
  length,
});
const past = fc.record({
  free: fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)),
  ends: fc.array(event.map((one) => ({ ...one, what: "ends" })), { maxLength: 4 }),
  events: fc.array(event, { maxLength: 10 }),
});
const asked = fc.record({ count: fc.integer({ min: 1, max: 8 }), length });
type Past = typeof past extends fc.Arbitrary<infer T> ? T : never;
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

/** A timetable to which all that has happened, and what is kept there. */
function tableAfter({ free, ends, events }: Past): { table: Timetable; kept: Booking[] } {
  const room = new Map(free.map((gpus, at) => [nodes[at]!, new Map([["gpu", gpus]])]));
  const table = new Timetable(groundOf({ free: room, labelsOf: () => ({}) }), now);
  const kept: Booking[] = [];
  for (const { what, node, count, after, length } of [...ends, ...events]) {
    const uses = [{ node, kind: "one", requests, count }];
    const [from, to] = [now + after, now + after + length];
    const isFree = table.has(uses, { from: what === "takes" ? now : from, to });
    const isUnchecked = what === "seizes" || what === "claims";
    if (what === "ends") table.ends(uses, { id: "a", at: from });
    if (what === "seizes" || (what === "takes" && isFree)) {
      table.take(uses, { id: "b", to, isUnchecked });
    }
    if (what === "claims" || (what === "keeps" && isFree)) {
      kept.push(table.keep(uses, { id: "c", from, to, isUnchecked }));
    }
    if (what === "cancels" && kept.length > 0) {
      table.cancel(kept.splice(count % kept.length, 1)[0]!);
    }
    if (what === "checks") table.isOverdrawn();
    if (what === "asks") startOf(table, { count, length, amounts: requests });
  }
  return { table, kept };
}

function startOf(
  table: Timetable,
  { count, length, amounts }: Asked & { amounts: Resources },
): number | undefined {
  const place = (then: Ground): Use[] | undefined => then.roomFor(kind) >= count ? [] : undefined;
  const slot: Slot | undefined = table.earliest({ length, latest: Infinity, amounts, place });
  return slot?.startsAt;
}

function needed(count: number): Resources {
  return new Map([["gpu", count]]);
}

Deno.test("property: sums over all nodes rule out no start for which there is room", () => {
  let found = 0;
  fc.assert(
    fc.property(past, asked, (past, asked) => {
      const { table } = tableAfter(past);
      const start = startOf(table, { ...asked, amounts: needed(asked.count) });
      assertEquals(start, startOf(table, { ...asked, amounts: nothing }));
      found += start === undefined ? 0 : 1;
    }),
    runs(5000),
  );
  assert(found > runs(500).numRuns, "there is hardly ever room");
});

Deno.test("property: what is kept does not begin earlier where sums say that it can not", () => {
  let sure = 0;
  fc.assert(
    fc.property(past, asked, (past, { count, length }) => {
      const { table, kept: [own] } = tableAfter(past);
      if (!own || table.chanceBefore(own, { amounts: needed(count), length })) return;
      sure++;
      table.cancel(own);
      const start = startOf(table, { count, length, amounts: nothing });
      assertGreaterOrEqual(start ?? Infinity, own.from);
    }),
    runs(5000),
  );
  assert(sure > runs(100).numRuns, "it is hardly ever ruled out");
});
