import { assertEquals } from "@std/assert";
import { unsendable } from "../../../shared/core/attend/unsendable.ts";
import { gang, group } from "../../support/facts.ts";

const problem = { reason: "InvalidName", message: "gang default/a/b has a bad name" };

Deno.test("unsendable: a gang that the contract can name is asked about, whatever is wrong with it", () => {
  assertEquals(unsendable(group(gang({ name: "x".repeat(253), problem }))), undefined);
});

for (const name of ["a/b", "x".repeat(254), "../c", "a b", ""]) {
  Deno.test(`unsendable: of "${name.slice(0, 10)}" every held member is let go, and the problem is told`, () => {
    const answer = unsendable(group(gang({ name, problem, held: ["u"] })));
    assertEquals(
      [answer?.verdict, answer?.reject, answer?.reason, answer?.message],
      ["reject", ["u"], "InvalidGang", problem.message],
    );
  });
}

Deno.test("unsendable: of a gang whose last member is gone nobody is told either", () => {
  assertEquals(unsendable(group(gang({ name: "a/b" })))?.reject, []);
});

Deno.test("unsendable: of a gang group one gang is enough that can not be named", () => {
  const answer = unsendable(group(gang({ held: ["u"] }), gang({ name: "../c", held: ["v"] })));
  assertEquals([answer?.verdict, answer?.reject], ["reject", ["u", "v"]]);
});
