import { assertEquals, assertThrows } from "@std/assert";
import { InvalidArgumentError } from "commander";
import { parseSchedulerNames } from "../../cli/flag_values.ts";

Deno.test("parseSchedulerNames() takes names with spaces between them, and none without a name", () => {
  assertEquals(parseSchedulerNames("muster, volcano"), ["muster", "volcano"]);
  for (const text of ["", "muster,", "muster volcano"]) {
    assertThrows(() => parseSchedulerNames(text), InvalidArgumentError, `"${text}" is not`);
  }
});
