import { assertEquals, assertStringIncludes } from "@std/assert";
import type { GangDetail } from "../../shared/contract/types.ts";
import { podTable } from "../../page/pod_table.ts";
import { gang } from "../support/facts.ts";

const { gang: spec, census } = gang({ minMember: 2, bound: 2 });
const pod = { name: "a-0", uid: "1", state: "bound", requests: { cpu: 1500 } } as const;

function tableOf(pods: GangDetail["pods"]): string {
  const parts = { spec, members: { ...census, held: 0 }, pods };
  return String(podTable(parts as unknown as GangDetail));
}

Deno.test("page: the members of a gang stand one by one, and what others wrote is only text", () => {
  const text = tableOf([{ ...pod, node: "<b>" }]);
  for (const part of ["a-0", "bound", "&lt;b&gt;", "1.5 cpu", "The first 1 by name"]) {
    assertStringIncludes(text, part);
  }
});

Deno.test("page: where members are not known there is no table of them", () => {
  assertEquals(tableOf(undefined), "");
});

Deno.test("page: a member that is to go somewhere says where, and in which domain that is", () => {
  const text = tableOf([{ ...pod, state: "held", planned: "n2", domain: "rack r1" }]);
  for (const part of ["to n2", "rack r1", "<th>Domain</th>"]) assertStringIncludes(text, part);
  assertEquals(tableOf([pod]).includes("Domain"), false);
});
