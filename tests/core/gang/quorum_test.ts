import { assertEquals } from "@std/assert";
import type { GangFacts } from "../../../shared/core/gang/facts.ts";
import { isOutOfReach } from "../../../shared/core/gang/quorum.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { gang, gangOfRoles } from "../../support/facts.ts";

/** Whether a gang can not become whole any more when the scheduler refuses members, by their roles. */
const rows: [id: string, facts: GangFacts, failed: string[], isOut: boolean][] = [
  ["one to spare", gang({ minMember: 2, pending: 3 }), [""], false],
  ["none to spare", gang({ minMember: 2, pending: 2 }), [""], true],
  ["more refused than there are to spare", gang({ minMember: 1, pending: 2 }), ["", ""], true],
  ["those that have a node count", gang({ minMember: 2, bound: 1, pending: 2 }), [""], false],
  [
    "another role has one to spare",
    gangOfRoles({ ps: { min: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["ps"],
    true,
  ],
  [
    "its own role has one to spare",
    gangOfRoles({ ps: { min: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["worker"],
    false,
  ],
  [
    "a member of its role has succeeded",
    gangOfRoles({ ps: { min: 1, succeeded: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["ps"],
    false,
  ],
  [
    "two members of its role have succeeded, and it lacks none",
    gangOfRoles({ ps: { min: 2, succeeded: 2 }, worker: { min: 1, pending: 4 } }),
    ["worker"],
    false,
  ],
];

for (const [id, facts, failed, isOut] of rows) {
  Deno.test(`isOutOfReach(): ${id}`, () => {
    const members = failed.map((role) => role === "" ? {} : { role });
    assertEquals(isOutOfReach(facts, members, profiles.default), isOut);
  });
}
