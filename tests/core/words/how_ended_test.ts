import { assertEquals } from "@std/assert";
import type { Preempted } from "../../../shared/core/gang/facts.ts";
import { howEnded } from "../../../shared/core/words/how_ended.ts";
import { gang, type GangParts } from "../../support/facts.ts";

const by = "gang default/high of higher priority";

const table: [about: string, GangParts & { preempted?: Preempted }, sentence: string][] = [
  ["all succeeded", { succeeded: 3 }, "ended: 3 members succeeded"],
  ["enough succeeded", { succeeded: 2, failed: 1 }, "ended: 2 members succeeded"],
  ["one failed", { succeeded: 1, failed: 1 }, "ended: 1 member failed"],
  ["it ran", { running: 2 }, "ended while it ran: its pods were deleted"],
  ["it was bound", { bound: 2 }, "ended while it ran: its pods were deleted"],
  ["one was bound", { bound: 1, pending: 1 }, "ended while it ran: its pods were deleted"],
  ["one succeeded", { succeeded: 1, pending: 1 }, "ended while it ran: its pods were deleted"],
  ["both", { bound: 1, succeeded: 1 }, "ended while it ran: its pods were deleted"],
  ["it waited", { pending: 5 }, "ended before it started: its pods were deleted"],
  [
    "it was preempted",
    { running: 1, preempted: { members: 1, by } },
    `ended: 1 member was preempted by ${by}`,
  ],
];

for (const [about, { preempted, ...parts }, sentence] of table) {
  Deno.test(`how a gang ended: ${about}`, () => {
    const facts = { ...gang({ minMember: 2, ...parts }), preempted };
    assertEquals(howEnded(facts), `gang default/a ${sentence}`);
  });
}
