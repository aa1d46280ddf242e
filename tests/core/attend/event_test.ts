import { assertEquals } from "@std/assert";
import { type GroupEvent, isOfOneMember } from "../../../shared/core/attend/event.ts";

const events: readonly [is: GroupEvent["is"], waits: boolean][] = [
  ["member came", true],
  ["member changed", true],
  ["call opened", true],
  ["bound", true],
  ["member left", false],
  ["call lost", false],
  ["planned", false],
  ["answered", false],
];

for (const [is, waits] of events) {
  Deno.test(`isOfOneMember(): a look after "${is}" ${waits ? "waits for others" : "is soon"}`, () => {
    assertEquals(isOfOneMember({ is }), waits);
  });
}
