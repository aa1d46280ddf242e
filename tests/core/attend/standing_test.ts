import { assertEquals } from "@std/assert";
import {
  hasNoUseForRoom,
  isKeptByPolicy,
  isPausing,
  lacksRoom,
  missedMembers,
  type Standing,
  type Why,
} from "../../../shared/core/attend/standing.ts";
import { letIn, start } from "../../support/attending.ts";

function refused(reason: Why["reason"]): Standing {
  return { phase: "refused", why: { reason, message: "it waits" }, since: start };
}

/** What is asked of a standing, and for which of the reasons it is so. */
const rows: [is: (standing: Standing) => boolean, reasons: readonly Why["reason"][]][] = [
  [hasNoUseForRoom, ["Parked", "CustomPolicy"]],
  [isKeptByPolicy, ["CustomPolicy"]],
  [isPausing, ["MemberUnschedulable"]],
  [lacksRoom, ["InsufficientResources"]],
  [missedMembers, ["MembersMissing"]],
];
const reasons: Why["reason"][] = [...new Set(rows.flatMap(([, reasons]) => reasons))];

for (const [is, expect] of rows) {
  Deno.test(`${is.name}() goes by the reason it was refused for, and is not so once it is let in`, () => {
    assertEquals(reasons.filter((reason) => is(refused(reason))), expect);
    assertEquals(is(letIn()), false);
  });
}
