import { assertEquals } from "@std/assert";
import { Decisions } from "../../relay/decisions.ts";
import { GangGroup, type Snapshot } from "../../relay/gang_group.ts";
import type { Hold } from "../../relay/holds.ts";
import type { World } from "../../relay/world.ts";

const specs = "[]";
const present = 3;

/** A group whose last answer was to wait, given when so many members were held. */
function waitingSince(held: number): GangGroup {
  const group = new GangGroup("default/gang", () => undefined);
  group.decision = {
    verdict: "wait",
    allow: [],
    wait: [],
    reject: [],
    need: present - held,
    reason: "WaitingForMembers",
    message: "gang default/gang waits",
  };
  group.decisionBasis = { specs, present, held };
  group.askAgainAt = Infinity;
  return group;
}

/** Facts in which one member is held. */
function oneHeld(): Snapshot {
  const holds = new Map([["a", { isGranted: false } as Hold]]);
  const group = { relay: { id: "relay", epoch: 1 }, gangs: [] };
  return {
    group,
    takenAt: Date.now(),
    holds,
    weakened: 0,
    specs,
    counts: "[]",
    present,
    pending: 2,
  };
}

Deno.test("the first member held after an answer without any is asked about at once: the wait begins", () => {
  const listener = { bound: () => {}, failed: () => {} };
  const decisions = new Decisions({} as World, listener);
  assertEquals(decisions.isDue(waitingSince(0), oneHeld()), true);
  assertEquals(decisions.isDue(waitingSince(1), oneHeld()), false);
});
