import { assertEquals } from "@std/assert";
import { gangId, groupId, groupName, someWait } from "../../../shared/core/gang/facts.ts";
import { gang, type GangParts, group, together } from "../../support/facts.ts";

Deno.test("facts: KO-DF-15 the id of a gang group is the sorted list of its gangs", () => {
  const { gang: spec } = gang({ namespace: "b", name: "x", groups: ["b/x", "a/y"] });
  assertEquals(groupId(spec), "a/y,b/x");
});

Deno.test("facts: a gang is part of its own group, once", () => {
  assertEquals(groupId(gang().gang), "default/a");
  assertEquals(groupId(gang({ groups: [] }).gang), "default/a");
  assertEquals(groupId(gang({ groups: ["z/z", "z/z"] }).gang), "default/a,z/z");
});

Deno.test("facts: BUG-9 a gang is named with its namespace", () => {
  assertEquals(gangId({ namespace: "x", name: "a" }), "x/a");
});

Deno.test("facts: a name with a comma is not taken for a gang group", () => {
  const hostile = gang({ name: "a,default/b" }).gang;
  assertEquals(groupId(hostile), "default/a%2Cdefault/b");
});

Deno.test("facts: a group is called the same whichever of its gangs are reported", () => {
  const groups = ["default/a", "default/b"];
  const [a, b] = [gang({ groups }), gang({ name: "b", groups })];
  for (const facts of [group(a), group(b), together(a, b), together(b, a)]) {
    assertEquals(groupName(facts), groupId(a.gang));
  }
  assertEquals(groupName(group(gang({ name: "a,default/b" }))), "default/a%2Cdefault/b");
});

Deno.test("facts: a gang waits while any of its members does, for a node or behind a gate", () => {
  const rows: [parts: GangParts, waits: boolean][] = [
    [{ bound: 2, succeeded: 1 }, false],
    [{ pending: 1 }, true],
    [{ gated: 1 }, true],
    [{ held: 1 }, true],
    [{ gated: 1, held: 1 }, true],
    [{ pending: 1, gated: 1 }, true],
  ];
  for (const [parts, waits] of rows) assertEquals(someWait(gang(parts)), waits);
});
