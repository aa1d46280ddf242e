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

Deno.test("room is of no use for a group that is parked or that a policy keeps waiting", () => {
  const standings = [
    refused("Parked"),
    refused("CustomPolicy"),
    refused("InsufficientResources"),
    letIn(),
  ];
  assertEquals(standings.map(hasNoUseForRoom), [true, true, false, false]);
  assertEquals(standings.map(lacksRoom), [false, false, true, false]);
});

Deno.test("what keeps a group is told by the reason it was refused for, and by nothing once it is let in", () => {
  const standings = [
    refused("CustomPolicy"),
    refused("MemberUnschedulable"),
    refused("MembersMissing"),
    letIn(),
  ];
  assertEquals(standings.map(isKeptByPolicy), [true, false, false, false]);
  assertEquals(standings.map(isPausing), [false, true, false, false]);
  assertEquals(standings.map(missedMembers), [false, false, true, false]);
});
