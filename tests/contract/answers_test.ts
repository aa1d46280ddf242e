import { assertEquals } from "@std/assert";
import { admissionIn, keysIn } from "../../shared/contract/answers.ts";
import { groupName } from "../../shared/core/gang/facts.ts";
import { isGroupSize, limits } from "../../shared/core/gang/limits.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { queueKeys } from "../../shared/core/queue/order.ts";
import { at, gang, group } from "../support/facts.ts";

Deno.test("contract: answers may name the largest gang group that there may be", () => {
  const length = limits.groupNames / limits.groupGangs;
  const names = Array.from({ length: limits.groupGangs }, (_, index) => `${index}`);
  const groups = names.map((name) => `default/${name.padStart(length - "default/".length, "n")}`);
  assertEquals(isGroupSize(groups), true);
  const name = "a".repeat(limits.gangName);
  const given = group(gang({ name, groups }));
  const askAgain = groupName(given);
  const admission = { verdict: "allow", reason: "Admitted", message: "", askAgain };
  assertEquals(admissionIn(admission).askAgain, askAgain);
  const unit = { id: "a", gang: given.gangs[0]!.gang, priority: 0, queuedAt: at(0) };
  const keys = queueKeys([unit], { failedAt: new Map(), settings: profiles.default });
  assertEquals(keysIn({ keys }).keys, keys);
});
