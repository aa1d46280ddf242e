import { assertEquals } from "@std/assert";
import { type Backfill, backfillOf } from "../../../shared/core/gang/backfill.ts";

const minute = { backfillMs: 60_000 };
const rows: [rule: string, backfill: Backfill | undefined][] = [
  ["none", { reservations: 0, backfillMs: 0 }],
  ["timed", { reservations: 0, ...minute }],
  ["0", { reservations: 0, backfillMs: 0 }],
  ["1.5", { reservations: 0, backfillMs: 1500 }],
  ["90", { reservations: 0, backfillMs: 90_000 }],
  ["9".repeat(400), undefined],
  ["-1", undefined],
  ["easy", { reservations: 1, ...minute }],
  ["easy-3", { reservations: 3, ...minute }],
  ["easy-1000", { reservations: 1000, ...minute }],
  ["easy-1001", undefined],
  ["easy-0", undefined],
  ["conservative", { reservations: Infinity, ...minute }],
  ["soon", undefined],
];

for (const [rule, backfill] of rows) {
  Deno.test(`backfillOf(): "${rule.slice(0, 20)}"`, () => assertEquals(backfillOf(rule), backfill));
}
