import { assertEquals } from "@std/assert";
import { gang, gangOfRoles } from "../../support/facts.ts";
import {
  aliveIn,
  censusOf,
  leavesOf,
  membersOfRoles,
  roleTree,
} from "../../../shared/core/gang/roles.ts";

/** Roles by path and minimum, and how many members they ask for. */
const rows: readonly (readonly [Record<string, number>, number])[] = [
  [{}, 0],
  [{ ps: 1, worker: 2 }, 3],
  [{ ps: 0, worker: 2 }, 2],
  // Only the path of others names decode: it needs all of them.
  [{ "decode/leaders": 1, "decode/workers": 3, prefill: 2 }, 6],
  [{ "decode": 1, "decode/leaders": 1, "decode/workers": 3 }, 1],
  [{ "a": 2, "a/x": 5, "a/y": 1, "a/z": 2 }, 3],
  [{ "a": 1, "a/b": 1, "a/b/c": 4, "a/b/d": 3, "a/e": 5 }, 3],
  [{ "a": 2, "a/x": 4 }, 5],
  [{ "a": 1, "a/x/p": 2, "a/x/q": 2, "a/y": 5 }, 4],
];

for (const [roles, members] of rows) {
  Deno.test(`roles: ${JSON.stringify(roles)} ask for ${members} members`, () => {
    const list = Object.entries(roles).map(([name, min]) => ({ name, min }));
    assertEquals(membersOfRoles(list), members);
  });
}

Deno.test("roles: members are of the roles that have none within them", () => {
  const roles = [{ name: "a/b", min: 1 }, { name: "c", min: 1 }, { name: "a", min: 1 }];
  assertEquals(leavesOf(roleTree(roles)).map(({ name }) => name), ["a/b", "c"]);
});

Deno.test("roles: of one that nobody has counted there are no members", () => {
  const none = { name: "ps", pending: 0, gated: 0, bound: 0, succeeded: 0, held: 0 };
  assertEquals(censusOf(gang(), "ps"), none);
  assertEquals(censusOf(gangOfRoles({ worker: { min: 1, pending: 1 } }), "ps"), none);
  assertEquals(aliveIn({ ...none, held: 1, bound: 2, pending: 4, gated: 8, succeeded: 16 }), 7);
});
