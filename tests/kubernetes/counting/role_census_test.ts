import { assertEquals } from "@std/assert";
import { takeRoleCensus } from "../../../shared/kubernetes/counting/role_census.ts";
import { pod } from "../../support/facts.ts";
import { podOf } from "../../support/objects.ts";

Deno.test("role census: every member counts once, in the lowest role that it names", () => {
  const roles = [{ name: "decode", min: 1 }, { name: "decode/leaders", min: 1 }, {
    name: "ps",
    min: 2,
  }];
  const rest = [
    { pod: podOf({ name: "ps-0", phase: "Running", nodeName: "n" }) },
    { pod: podOf({ name: "ps-1", phase: "Succeeded" }) },
    { pod: podOf({ name: "ps-2", schedulingGates: [{ name: "other" }] }) },
    { pod: podOf({ name: "ps-3", phase: "Failed" }) },
    { pod: podOf({ name: "leader" }) },
    { pod: podOf({ name: "other" }) },
  ];
  const held = [{ ...pod("a"), role: "decode/leaders" }, { ...pod("b"), role: "ps" }, pod("c")];
  const roleOf = ({ metadata: { name } }: { metadata: { name: string } }) =>
    ({ l: "decode/leaders", p: "ps" })[name[0]!];
  assertEquals(takeRoleCensus(roles, { held, rest, roleOf }), [
    { name: "decode/leaders", pending: 1, gated: 0, bound: 0, succeeded: 0, held: 1 },
    { name: "ps", pending: 0, gated: 1, bound: 1, succeeded: 1, held: 1 },
  ]);
});
